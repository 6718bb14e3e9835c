package pid1

import (
	"encoding/binary"
	"fmt"
	"runtime"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/config"
	"github.com/sbinit/sbinit/internal/proc"
)

// An inquiry asks about an orphan and its subtree.
type inquiry struct {
	orphan  proc.ID
	subtree []proc.ID // without the orphan
}

// A verdict answers an inquiry.
type verdict struct {
	orphan    proc.ID
	name      string
	gone      bool             // it ended meanwhile
	abandoned bool             // nobody at the other end of its stdin and stdout
	keep      string           // why it is to be kept; empty if it is not
	exempt    map[proc.ID]bool // members of the subtree that are to be kept
	err       error            // something could not be read
}

// An inspector reads what only a process's own memory tells: arguments,
// environment, open descriptors. Such a read waits for the process's memory
// map and can stall for as long as the process likes, and may need the
// process's uid; so it has a thread of its own, and PID 1's loop never waits
// for it.
type inspector struct {
	abandonedOnly bool     // inspect further only who is abandoned
	keep          []string // names, SBINIT_ORPHAN_KEEP
	fs            *proc.FS
	ask           chan inquiry
	answers       chan verdict
	wake          int // eventfd
}

func newInspector(cfg config.Config) (*inspector, error) {
	fs, err := proc.Open()
	if err != nil {
		return nil, err
	}
	wake, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		return nil, err
	}
	in := &inspector{
		abandonedOnly: cfg.Orphans == config.OrphansAbandoned,
		keep:          cfg.OrphanKeep,
		fs:            fs,
		ask:           make(chan inquiry, 64),
		answers:       make(chan verdict, 64),
		wake:          wake,
	}
	go in.run()
	return in, nil
}

// inspect queues an inquiry; false means that the inspector is behind and the
// caller must ask again later.
func (in *inspector) inspect(q inquiry) bool {
	select {
	case in.ask <- q:
		return true
	default:
		return false
	}
}

// collect appends the answers that are there, after the eventfd woke.
func (in *inspector) collect(into []verdict) []verdict {
	var b [8]byte
	_, _ = unix.Read(in.wake, b[:]) // EAGAIN: an earlier round took the answer
	for {
		select {
		case v := <-in.answers:
			into = append(into, v)
		default:
			return into
		}
	}
}

func (in *inspector) run() {
	runtime.LockOSThread()
	var one [8]byte
	binary.NativeEndian.PutUint64(one[:], 1)
	for q := range in.ask {
		in.answers <- in.judge(q)
		_, _ = unix.Write(in.wake, one[:]) // EAGAIN: it is awake
	}
}

func (in *inspector) judge(q inquiry) (v verdict) {
	defer func() {
		if fault := recover(); fault != nil {
			v = verdict{orphan: q.orphan, err: fmt.Errorf("a fault in sbinit, please report it: %v", fault)}
		}
	}()
	v.orphan = q.orphan
	pid := q.orphan.PID
	err := in.fs.AsOwner(pid, func() (err error) {
		v.abandoned, err = in.fs.Abandoned(pid)
		return err
	})
	switch {
	case in.ended(q.orphan):
		v.gone = true
		return v
	case in.abandonedOnly && (err != nil || !v.abandoned):
		v.err = err
		return v
	}
	v.name, v.keep, v.err = in.kept(pid)
	for _, id := range q.subtree {
		if _, keep, _ := in.kept(id.PID); keep != "" {
			v.exempt = withID(v.exempt, id)
		}
	}
	v.gone = in.ended(q.orphan)
	return v
}

// ended says whether the number no longer is that process's: what was read of
// it may have been read of another.
func (in *inspector) ended(id proc.ID) bool {
	s, err := in.fs.Stat(id.PID)
	return err != nil || s.ID != id
}

// kept returns the name of a process and the reason for which it is never
// ended as an orphan.
func (in *inspector) kept(pid int) (name, why string, err error) {
	err = in.fs.AsOwner(pid, func() error {
		names, err := in.fs.Names(pid)
		name = names.String()
		if names.Match(in.keep) {
			why = "SBINIT_ORPHAN_KEEP"
			return nil
		}
		if err != nil {
			return err
		}
		opted, err := in.fs.HasEnv(pid, "SBINIT_KEEP=1")
		if opted {
			why = "SBINIT_KEEP=1"
		}
		return err
	})
	return name, why, err
}

func withID(set map[proc.ID]bool, id proc.ID) map[proc.ID]bool {
	if set == nil {
		set = map[proc.ID]bool{}
	}
	set[id] = true
	return set
}
