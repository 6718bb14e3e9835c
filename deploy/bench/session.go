package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/sbinit/sbinit/internal/terminal/wire"
)

// opening measures `sbinit terminal`, with `open` in its pipe, to `ready`, and to the exit
// of all when the program is true(1).
func (b *bench) opening() error {
	ready := b.figure(figure{name: "session: start to `ready`", unit: "ms"})
	whole := b.figure(figure{name: "session: start and end around `true`", unit: "ms", base: script})
	for range b.opens {
		begun := time.Now()
		c, err := b.call([]string{"true"})
		if err != nil {
			return err
		}
		ready.add(sbinit, milliseconds(time.Since(begun)))
		if _, err := c.finish(); err != nil {
			return err
		}
		whole.add(sbinit, milliseconds(time.Since(begun)))
		begun = time.Now()
		if _, err := scripted("true"); err != nil {
			return err
		}
		whole.add(script, milliseconds(time.Since(begun)))
	}
	return nil
}

// echoer writes back what comes, with the terminal in raw mode.
var echoer = []string{"sh", "-c", "stty raw -echo; echo ready; exec cat"}

// echo measures from a key that is typed to what echoer writes back.
func (b *bench) echo() error {
	p, err := startPlain(echoer...)
	if err != nil {
		return err
	}
	defer p.kill()
	c, err := b.call(echoer)
	if err != nil {
		return err
	}
	if err := errors.Join(p.await("ready"), c.await("ready")); err != nil {
		c.kill()
		return err
	}
	row := func(which string) *figure {
		return b.figure(figure{name: "session: key to echo, " + which, unit: "µs", base: bare})
	}
	p50, p99 := row("p50"), row("p99")
	for range b.rounds {
		for _, side := range []struct {
			column string
			key    func() error
		}{{bare, p.key}, {sbinit, c.key}} {
			s, err := b.typed(side.key)
			if err != nil {
				c.kill()
				return err
			}
			p50.add(side.column, s.median())
			p99.add(side.column, s.percentile(99))
		}
	}
	return c.close()
}

func (b *bench) typed(key func() error) (s sample, err error) {
	for range b.keys {
		begun := time.Now()
		if err := key(); err != nil {
			return nil, err
		}
		s = append(s, microseconds(time.Since(begun)))
	}
	return s, nil
}

// throughput measures a program that writes lines as fast as they are taken.
func (b *bench) throughput() error {
	file, line := filepath.Join(b.dir, "text"), strings.Repeat("x", 79)+"\n"
	if err := os.WriteFile(file, []byte(strings.Repeat(line, b.output/len(line))), 0o644); err != nil {
		return err
	}
	want := int64(b.output / len(line) * (len(line) + 1)) // the terminal adds a carriage return
	speed := b.figure(figure{name: "session: output", unit: "MB/s", base: bare, aim: aim{limit: 0.7, ratio: true, atLeast: true}})
	for range b.rounds {
		for _, side := range []struct {
			column string
			take   func(file string) (int64, error)
		}{
			{bare, plainOutput},
			{script, func(file string) (int64, error) { return scripted("cat " + file) }},
			{sbinit, b.sessionOutput},
		} {
			begun := time.Now()
			got, err := side.take(file)
			if err != nil {
				return fmt.Errorf("%s: %w", side.column, err)
			}
			if got != want {
				return fmt.Errorf("%s: %d bytes came, want %d", side.column, got, want)
			}
			speed.add(side.column, float64(want)/1e6/time.Since(begun).Seconds())
		}
	}
	return nil
}

func (b *bench) sessionOutput(file string) (int64, error) {
	c, err := b.call([]string{"cat", file})
	if err != nil {
		return 0, err
	}
	return c.finish()
}

// cleanup measures from `close` to `end` with descendants which have forked twice and left
// the session: when they do as they are told, and when they ignore it and get no time.
func (b *bench) cleanup() error {
	for _, kind := range []struct{ name, mode, grace string }{
		{"obedient", "escape", "5s"},
		{"stubborn", "ignore", "0"},
	} {
		row := b.figure(figure{name: fmt.Sprintf("session: clean-up of %d escapers, %s", b.escapers, kind.name), unit: "ms", aim: aim{limit: 500}})
		for range b.escapeRounds {
			took, err := b.cleanUp(kind.mode, kind.grace)
			if err != nil {
				return err
			}
			row.add(sbinit, milliseconds(took))
		}
	}
	return nil
}

func (b *bench) cleanUp(mode, grace string) (time.Duration, error) {
	c, err := b.call([]string{b.load, mode, fmt.Sprint(b.escapers)},
		"SBINIT_KILL_GRACE="+grace, fmt.Sprintf("SBINIT_TERMINAL_DESCENDANTS=%d", b.escapers+50))
	if err != nil {
		return 0, err
	}
	if err := c.await("ready"); err != nil {
		c.kill()
		return 0, err
	}
	begun := time.Now()
	if err := c.send(wire.Close{}); err != nil {
		return 0, err
	}
	_, err = c.finish()
	return time.Since(begun), err
}
