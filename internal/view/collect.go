package view

import (
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/control"
	"github.com/sbinit/sbinit/internal/proc"
)

const (
	// askLimit is how long the init may take to answer. An idle one takes a
	// millisecond.
	askLimit = 3 * time.Second

	// readLimit is how long one process may take to be read. Its arguments are in its
	// own memory, which can be locked for as long as it likes.
	readLimit = 500 * time.Millisecond

	// stallLimit is how long all those may take together that exceed readLimit. After
	// it no arguments are read any more.
	stallLimit = 2 * time.Second
)

// ticks are the clock ticks of a second in /proc (sysconf(3), _SC_CLK_TCK), on each
// architecture that Go knows.
const ticks = 100

// Wanted is how much is to be read.
type Wanted struct {
	Socket string // empty: the init is not asked
	PSS    bool
}

// Collect looks around. It fails where there is no usable /proc; without the init's
// socket it makes do.
func Collect(want Wanted) (*World, error) {
	fs, err := proc.Open()
	if err != nil {
		return nil, err
	}
	r := &reader{fs: fs}
	defer func() { r.fs.Close() }()
	w := &World{}
	if want.Socket != "" {
		w.ask(want.Socket)
	}
	if w.Hidden, err = fs.Hides(); err != nil {
		return nil, err
	}
	var all proc.Snapshot
	if err := all.Take(fs); err != nil {
		return nil, err
	}
	now := sinceBoot()
	for _, s := range all.Procs {
		if p, ok := r.process(s, now, want); ok {
			w.Processes = append(w.Processes, p)
		}
	}
	w.recognise(fs)
	w.findOwners()
	return w, nil
}

// ask asks the init. That there is no socket of it is no fault.
func (w *World) ask(socket string) {
	var err error
	w.Status, err = control.Ask(socket, askLimit)
	switch {
	case control.NoSocket(err):
		w.NoSocket = err
	case err != nil:
		w.Silent = err
	}
}

// sinceBoot is what the start times of processes count from.
func sinceBoot() time.Duration {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &now); err != nil {
		return 0 // no kernel since 2.6.39
	}
	return time.Duration(now.Nano())
}

// A reader reads processes, and waits for none of them for long.
type reader struct {
	fs      *proc.FS
	stalled time.Duration
}

// process reads one; false if it has ended. What may not be looked at stays empty.
func (r *reader) process(s proc.Stat, now time.Duration, want Wanted) (p Process, ok bool) {
	p = Process{Stat: s, PSS: -1, Age: max(0, now-time.Duration(s.Start)*time.Second/ticks)}
	p.Names.Comm = s.Comm()
	var err error
	if p.RSS, p.UID, err = r.fs.Resident(s.PID); err != nil {
		return p, false
	}
	if !s.Alive() {
		return p, true
	}
	p.Mark = r.fs.Mark(s.PID)
	if p.RSS == 0 {
		return p, true // a kernel thread, or a leader that has ended before other threads
	}
	r.patiently(&p, readNames)
	if want.PSS {
		r.patiently(&p, readPSS)
	}
	return p, true
}

func readNames(fs *proc.FS, p *Process) {
	if names, err := fs.Names(p.PID); err == nil {
		p.Names = names
	}
	p.Args, _ = fs.Args(p.PID)
	p.Role = role(fs, p)
}

func readPSS(fs *proc.FS, p *Process) {
	if size, err := fs.Proportional(p.PID); err == nil {
		p.PSS = size
	}
}

// patiently has a process read on another goroutine. If that takes too long the
// process stays as it is, and the goroutine is left alone, with the FS that it uses.
func (r *reader) patiently(p *Process, read func(*proc.FS, *Process)) {
	if r.stalled >= stallLimit {
		return
	}
	fs, result := r.fs, make(chan Process, 1)
	one := *p
	go func() {
		read(fs, &one)
		result <- one
	}()
	timer := time.NewTimer(readLimit)
	defer timer.Stop()
	select {
	case *p = <-result:
		return
	case <-timer.C:
	}
	r.stalled += readLimit
	if fresh, err := proc.Open(); err == nil {
		r.fs = fresh
		return
	}
	*p = <-result // without another descriptor: wait
}
