package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/deploy/box"
)

// starting measures from the execution of the init to its exit, with /bin/true as the
// main program. Its exit is the end of its output: the namespaces' own end comes later.
func (b *bench) starting() error {
	took := b.figure(figure{name: "start and end around `true`", unit: "ms", base: "tini", aim: aim{limit: 2.2, ratio: true}})
	return b.inTurns(b.starts, func(c contender) error {
		d, err := b.startOnce(c)
		took.add(c.name, milliseconds(d))
		return err
	})
}

func (b *bench) startOnce(c contender) (time.Duration, error) {
	argv := append([]string{b.load, "start"}, c.before("/bin/true")...)
	inside, err := box.Start(argv)
	if err != nil {
		return 0, err
	}
	defer inside.Kill()
	said, err := io.ReadAll(inside.Out)
	end := monotonic()
	if err != nil {
		return 0, err
	}
	begun, err := strconv.ParseFloat(strings.TrimSpace(string(said)), 64)
	if err != nil {
		return 0, err
	}
	return end - time.Duration(begun*float64(time.Microsecond)), nil
}

// monotonic is the clock that load has too.
func monotonic() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &t); err != nil {
		panic(err) // no kernel is without it
	}
	return time.Duration(t.Nano())
}

// reaping measures the CPU time of the init for each orphan.
func (b *bench) reaping(how string, batch int, limit float64) error {
	cpu := b.figure(figure{name: "CPU for each reaped orphan, " + how, unit: "µs", base: "tini", aim: aim{limit: limit, ratio: true}})
	return b.inTurns(b.rounds, func(c contender) error {
		r, err := startRun(c.before(b.load, "orphans", fmt.Sprint(b.orphans), fmt.Sprint(batch)))
		if err != nil {
			return err
		}
		defer r.Kill()
		used, err := during(r.PID, func() error {
			_, err := r.work()
			return err
		})
		cpu.add(c.name, microseconds(used)/float64(b.orphans))
		return err
	})
}

// during is the CPU time that a process uses meanwhile.
func during(pid int, work func() error) (time.Duration, error) {
	before, err := cpuTime(pid)
	if err != nil {
		return 0, err
	}
	if err := work(); err != nil {
		return 0, err
	}
	after, err := cpuTime(pid)
	return after - before, err
}

// signalling measures from kill(2) of the init to the main program's handler.
func (b *bench) signalling() error {
	row := func(which string) *figure {
		return b.figure(figure{name: "signal to PID 1 until main's handler, " + which, unit: "µs", base: "tini", aim: aim{limit: 1.5, ratio: true}})
	}
	p50, p99 := row("p50"), row("p99")
	return b.inTurns(b.rounds, func(c contender) error {
		r, err := startRun(c.before(b.load, "signals", fmt.Sprint(b.signals)))
		if err != nil {
			return err
		}
		defer r.Kill()
		took, err := r.work()
		if err != nil {
			return err
		}
		p50.add(c.name, took.median())
		p99.add(c.name, took.percentile(99))
		return nil
	})
}
