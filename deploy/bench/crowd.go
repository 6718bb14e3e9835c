package main

import (
	"fmt"
	"time"
)

// guarding are settings of sbinit: without SBINIT_GUARD, with a name that nobody bears,
// and with all below a guard.
var guarding = []struct{ name, env string }{
	{"no SBINIT_GUARD", "SBINIT_GUARD="},
	{"SBINIT_GUARD of nobody", "SBINIT_GUARD=agent"},
	{"all below SBINIT_GUARD", "SBINIT_GUARD=sh"},
}

// crowdBelow is a command line of sbinit's with a crowd and load below what may be a
// guard. The shell waits, and does not execute load in its own place.
func (b *bench) crowdBelow(argv ...string) []string {
	crowd := append([]string{b.load, "crowd", fmt.Sprint(b.crowd), b.load}, argv...)
	return b.inits[0].before(append([]string{"/bin/sh", "-c", `"$@" & wait`, "sh"}, crowd...)...)
}

// crowded measures the memory of each init among quiet processes.
func (b *bench) crowded() error {
	memory := b.figure(figure{name: fmt.Sprintf("resident memory, %d processes", b.crowd), unit: "MB", aim: aim{limit: 4}})
	return b.inTurns(1, func(c contender) error {
		r, err := startRun(c.before(b.load, "crowd", fmt.Sprint(b.crowd), b.load, "quiet"))
		if err != nil {
			return err
		}
		defer r.Kill()
		time.Sleep(b.young / 2)
		mb, err := resident(r.PID)
		memory.add(c.name, mb)
		return err
	})
}

// forking measures sbinit's CPU time among quiet processes in the first minute, when it
// looks for new ones once a second, and beside steady forking.
func (b *bench) forking() error {
	if err := b.busy("CPU among %d processes, %s", aim{limit: 1}, "quiet"); err != nil {
		return err
	}
	return b.busy("CPU beside 50 forks a second among %d processes, %s", aim{limit: 20}, "fork", "50")
}

// busy measures one load under each setting, all at once: what is counted is sbinit's own
// time.
func (b *bench) busy(name string, limit aim, load ...string) error {
	var runs []*run
	defer func() {
		for _, r := range runs {
			r.Kill()
		}
	}()
	for _, g := range guarding {
		r, err := startRun(b.crowdBelow(load...), g.env)
		if err != nil {
			return err
		}
		runs = append(runs, r)
	}
	time.Sleep(b.young)
	before, err := cpuTimes(runs)
	if err != nil {
		return err
	}
	time.Sleep(b.span)
	after, err := cpuTimes(runs)
	if err != nil {
		return err
	}
	for i, g := range guarding {
		row := b.figure(figure{name: fmt.Sprintf(name, b.crowd, g.name), unit: "ms/s", aim: limit})
		row.add(sbinit, milliseconds(after[i]-before[i])/b.span.Seconds())
	}
	return nil
}

func cpuTimes(runs []*run) (list []time.Duration, err error) {
	for _, r := range runs {
		used, err := cpuTime(r.PID)
		if err != nil {
			return nil, err
		}
		list = append(list, used)
	}
	return list, nil
}

// orphanDeaths measures from a daemon's death to that of the child which it abandoned, in
// an empty and in a full container at once: both wait most of the time.
func (b *bench) orphanDeaths() error {
	deaths := []string{b.load, "deaths", fmt.Sprint(b.deaths)}
	results := make(chan error, 2)
	for _, full := range []bool{false, true} {
		name, argv := "empty container", deaths
		if full {
			name, argv = fmt.Sprintf("%d processes", b.crowd), append([]string{b.load, "crowd", fmt.Sprint(b.crowd)}, deaths...)
		}
		r, err := startRun(b.inits[0].before(argv...), "SBINIT_ORPHAN_GRACE=0", "SBINIT_LOG_LEVEL=error")
		if err != nil {
			return err
		}
		defer r.Kill()
		took := b.figure(figure{name: "death of an orphan, grace 0, " + name, unit: "ms"})
		go func() { results <- deathsIn(r, took) }()
	}
	for range 2 {
		if err := <-results; err != nil {
			return err
		}
	}
	return nil
}

func deathsIn(r *run, took *figure) error {
	us, err := r.work()
	for _, t := range us {
		took.add(sbinit, t/1000)
	}
	return err
}
