package main

import (
	"fmt"
	"os"
	"strings"
	"time"
)

// A part is measured by itself.
type part struct {
	name string
	run  func() error
}

func (b *bench) parts(idle *idle) []part {
	return []part{
		{"binary size", b.sizes},
		{"start", b.starting},
		{"reaping in batches", func() error { return b.reaping("in batches of 100", 100, 1.3) }},
		{"reaping one by one", func() error { return b.reaping("one by one", 1, 1.8) }},
		{"signals", b.signalling},
		{"memory in a crowd", b.crowded},
		{"CPU in a crowd", b.forking},
		{"death of orphans", b.orphanDeaths},
		{"start of guards", b.guardStart},
		{"memory of guards", b.guardMemory},
		{"death below guards", b.guardDeaths},
		{"opening sessions", b.opening},
		{"echo of sessions", b.echo},
		{"throughput of sessions", b.throughput},
		{"memory of sessions", b.sessionMemory},
		{"sessions at once", b.sessionsAtOnce},
		{"clean-up of sessions", b.cleanup},
		{"idle", idle.measure},
	}
}

// measure does the parts whose name has a text. The idle inits come first and are asked
// last: sbinit looks less often when nothing was forked for a minute.
func (b *bench) measure(only string) error {
	if err := b.known(only); err != nil {
		return err
	}
	idle, err := b.startIdle()
	if err != nil {
		return err
	}
	defer idle.kill()
	for _, p := range b.parts(idle) {
		if !strings.Contains(p.name, only) {
			continue
		}
		begun := time.Now()
		if err := p.run(); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		fmt.Fprintf(os.Stderr, "%s: %.1fs\n", p.name, time.Since(begun).Seconds())
	}
	return nil
}

// known returns an error that lists the parts if none of them has a text in its name.
func (b *bench) known(only string) error {
	var names []string
	for _, p := range b.parts(nil) {
		if strings.Contains(p.name, only) {
			return nil
		}
		names = append(names, p.name)
	}
	return fmt.Errorf("no part has %q in its name: %s", only, strings.Join(names, ", "))
}
