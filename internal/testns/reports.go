package testns

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// specFD and reportFD are the launcher's descriptors: the spec comes in on one, and
// a JSON object for each event goes out on the other. Neither reaches the program
// under test.
const (
	specFD   = 3
	reportFD = 4
)

// report is one event that a launcher tells. A launcher that becomes the program
// itself tells nothing but an error: the end of the stream means that it has been
// executed.
type report struct {
	Error   string  `json:",omitempty"`
	Ready   bool    `json:",omitempty"` // all is set up, the end of the spec is waited for
	Started int     `json:",omitempty"` // pid of the program under test, inside
	Exited  *Status `json:",omitempty"` // of the program under test
	Reaped  *Reaped `json:",omitempty"`
}

// Reaped is a process that a minimal PID 1 ([Options.NotPID1]) has waited for: the
// program under test did not, or was gone.
type Reaped struct {
	PID    int
	Status Status
}

// Status is how a process ended. Signal is 0 if it exited.
type Status struct {
	Code   int
	Signal unix.Signal
}

func (s Status) String() string {
	if s.Signal != 0 {
		return fmt.Sprintf("signal %d (%v)", int(s.Signal), s.Signal)
	}
	return fmt.Sprintf("status %d", s.Code)
}

func statusOf(ws unix.WaitStatus) Status {
	if ws.Signaled() {
		return Status{Signal: ws.Signal()}
	}
	return Status{Code: ws.ExitStatus()}
}

// reports is what a launcher has told so far.
type reports struct {
	mu     sync.Mutex
	reaped []Reaped

	ready   chan report
	started chan report
	exited  chan Status
}

func readReports(r *os.File) *reports {
	rs := &reports{ready: make(chan report, 1), started: make(chan report, 1), exited: make(chan Status, 1)}
	go rs.read(r)
	return rs
}

func (rs *reports) read(r *os.File) {
	defer r.Close()
	defer close(rs.exited)
	for in := json.NewDecoder(r); ; {
		var one report
		if err := in.Decode(&one); err != nil {
			offer(rs.ready, report{Error: "the launcher has ended"})
			offer(rs.started, report{Started: 1})
			return
		}
		rs.take(one)
	}
}

func (rs *reports) take(one report) {
	switch {
	case one.Exited != nil:
		rs.exited <- *one.Exited
	case one.Reaped != nil:
		rs.mu.Lock()
		rs.reaped = append(rs.reaped, *one.Reaped)
		rs.mu.Unlock()
	case one.Ready:
		offer(rs.ready, one)
	default:
		offer(rs.ready, one)
		offer(rs.started, one)
	}
}

// offer sends to a channel that takes one report, unless it has had one.
func offer(to chan report, one report) {
	select {
	case to <- one:
	default:
	}
}

// startLimit is how long a launcher may take on a slow and busy machine.
const startLimit = 60 * time.Second

func (rs *reports) waitReady() error {
	_, err := await(rs.ready)
	return err
}

func (rs *reports) waitStarted() (pid int, err error) {
	one, err := await(rs.started)
	return one.Started, err
}

func await(from chan report) (report, error) {
	select {
	case one := <-from:
		if one.Error != "" {
			return one, errors.New(one.Error)
		}
		return one, nil
	case <-time.After(startLimit):
		return report{}, fmt.Errorf("the launcher said nothing for %v", startLimit)
	}
}

// tell sends a report from inside. Lines are short, so that one write takes them.
func tell(r report) {
	line, err := json.Marshal(r)
	if err != nil {
		panic(err)
	}
	unix.Write(reportFD, append(line, '\n'))
}
