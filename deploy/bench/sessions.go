package main

import (
	"fmt"
	"time"

	"github.com/sbinit/sbinit/internal/terminal/wire"
)

// sessions are open at the same time.
type sessions []*caller

func (s sessions) kill() {
	for _, c := range s {
		c.kill()
	}
}

// opened has so many more of them, each of which has answered.
func (s sessions) opened(b *bench, n int) (sessions, error) {
	first := len(s)
	for range n {
		c, err := b.call(echoer)
		if err != nil {
			return s, err
		}
		s = append(s, c)
	}
	for _, c := range s[first:] {
		if err := c.await("ready"); err != nil {
			return s, err
		}
		if err := c.key(); err != nil {
			return s, err
		}
	}
	return s, nil
}

func (s sessions) close() error {
	for _, c := range s {
		if err := c.send(wire.Close{}); err != nil {
			return err
		}
	}
	for _, c := range s {
		if _, err := c.finish(); err != nil {
			return err
		}
	}
	return nil
}

// memory is that of all fronts, and of all workers, without the programs.
func (s sessions) memory() (fronts, workers float64, err error) {
	for _, c := range s {
		worker, err := parent(c.pid)
		if err != nil {
			return 0, 0, err
		}
		front, err := pss(c.cmd.Process.Pid)
		if err != nil {
			return 0, 0, err
		}
		mb, err := pss(worker)
		if err != nil {
			return 0, 0, err
		}
		fronts, workers = fronts+front, workers+mb
	}
	return fronts, workers, nil
}

// sessionMemory measures what each further session takes.
func (b *bench) sessionMemory() error {
	s, err := sessions{}.opened(b, b.first)
	defer func() { s.kill() }()
	if err != nil {
		return err
	}
	fronts, workers, err := s.memory()
	if err != nil {
		return err
	}
	if s, err = s.opened(b, b.more); err != nil {
		return err
	}
	moreFronts, moreWorkers, err := s.memory()
	if err != nil {
		return err
	}
	each := float64(b.more)
	b.figure(figure{name: "session: memory of a further worker (PSS)", unit: "MB", aim: aim{limit: 1.2}}).
		add(sbinit, (moreWorkers-workers)/each)
	b.figure(figure{name: "session: memory of a further front, not needed with sbinit as PID 1 (PSS)", unit: "MB"}).
		add(sbinit, (moreFronts-fronts)/each)
	return s.close()
}

// sessionsAtOnce measures from the first one's start to the last one's answer, and their ends.
func (b *bench) sessionsAtOnce() error {
	begun := time.Now()
	s, err := sessions{}.opened(b, b.atOnce)
	if err != nil {
		s.kill()
		return err
	}
	b.figure(figure{name: fmt.Sprintf("session: %d at once, until all have answered", b.atOnce), unit: "s"}).
		add(sbinit, time.Since(begun).Seconds())
	begun = time.Now()
	if err := s.close(); err != nil {
		s.kill()
		return err
	}
	b.figure(figure{name: fmt.Sprintf("session: %d at once, until all are closed", b.atOnce), unit: "s"}).
		add(sbinit, time.Since(begun).Seconds())
	return nil
}
