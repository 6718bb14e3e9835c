package pid1

import (
	"encoding/binary"
	"fmt"
	"runtime"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/config"
	"github.com/sbinit/sbinit/internal/proc"
)

// What an inquiry is about.
type inquiryKind uint8

const (
	aboutOrphan inquiryKind = iota // what is to become of the subject, with others below it
	aboutOwner                     // which guard among others the subject belongs to
	aboutNames                     // what guards' names others bear
	aboutHeirs                     // the same, of what the subject, a guard, left
	aboutMark                      // nothing: others are to bear a mark
)

// An inquiry asks about processes.
type inquiry struct {
	kind    inquiryKind
	subject proc.ID
	others  []proc.ID
	related map[[2]proc.ID]bool // aboutOwner: pairs of which the first is below the second
	mark    uint64              // aboutMark
}

// A verdict answers an inquiry.
type verdict struct {
	kind    inquiryKind
	subject proc.ID
	gone    bool // the subject ended meanwhile
	err     error

	name      string
	abandoned bool             // nobody at the other end of its stdin and stdout
	keep      string           // why it is to be kept; empty if it is not
	exempt    map[proc.ID]bool // others that are to be kept

	owner   proc.ID         // aboutOwner: zero if there is none
	entries map[proc.ID]int // aboutNames, aboutHeirs: of SBINIT_GUARD, -1 for none
}

// An inspector reads what only a process's own memory tells: arguments,
// environment, open descriptors. Such a read waits for the process's memory
// map and can stall for as long as the process likes, and may need the
// process's uid; so it has a thread of its own, and PID 1's loop never waits
// for it.
type inspector struct {
	abandonedOnly bool     // inspect further only who is abandoned
	keep          []string // names, SBINIT_ORPHAN_KEEP
	guard         []string // names, SBINIT_GUARD
	main          int      // the main program
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
		guard:         cfg.Guard,
		fs:            fs,
		ask:           make(chan inquiry, 64),
		answers:       make(chan verdict, 64),
		wake:          wake,
	}
	return in, nil
}

// start begins to answer, once there is a main program to compare with.
func (in *inspector) start(main int) {
	in.main = main
	go in.run()
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
			v = verdict{kind: q.kind, subject: q.subject, err: fmt.Errorf("a fault in sbinit, please report it: %v", fault)}
		}
	}()
	v = verdict{kind: q.kind, subject: q.subject}
	switch q.kind {
	case aboutOrphan:
		in.judgeOrphan(q, &v)
		v.gone = in.ended(q.subject)
	case aboutOwner:
		v.owner = in.ownerByEnvironment(q)
		v.gone = in.ended(q.subject)
	case aboutMark:
		v.err = in.mark(q.others, q.mark)
	default:
		v.entries = in.entries(q.others)
	}
	return v
}

func (in *inspector) judgeOrphan(q inquiry, v *verdict) {
	pid := q.subject.PID
	v.err = in.fs.AsOwner(pid, func() (err error) {
		v.abandoned, err = in.fs.Abandoned(pid)
		return err
	})
	if in.abandonedOnly && (v.err != nil || !v.abandoned) {
		return
	}
	v.name, v.keep, v.err = in.kept(pid)
	for _, id := range q.others {
		if _, keep, _ := in.kept(id.PID); keep != "" {
			v.exempt = withID(v.exempt, id)
		}
	}
}

// entries finds the entry of SBINIT_GUARD for each process. Who could not be
// read, or has ended, is left out, and stays what it was taken for.
func (in *inspector) entries(ids []proc.ID) map[proc.ID]int {
	found := make(map[proc.ID]int, len(ids))
	for _, id := range ids {
		var names proc.Names
		err := in.fs.AsOwner(id.PID, func() (err error) {
			names, err = in.fs.Names(id.PID)
			return err
		})
		if err != nil || in.ended(id) {
			continue
		}
		found[id] = slices.IndexFunc(in.guard, func(glob string) bool { return names.Match([]string{glob}) })
	}
	return found
}

// mark marks processes. The first refusal is returned; that some have ended is none.
func (in *inspector) mark(ids []proc.ID, mark uint64) (refused error) {
	for _, id := range ids {
		if err := in.fs.SetMark(id, mark); err != nil && err != unix.ESRCH && refused == nil {
			refused = fmt.Errorf("prlimit of process %d: %w", id.PID, err)
		}
	}
	return refused
}

// ended says whether the number no longer is that living process's: what was read
// of it may have been read of another, and a zombie has lost its arguments.
func (in *inspector) ended(id proc.ID) bool {
	s, err := in.fs.Stat(id.PID)
	return err != nil || s.ID != id || !s.Alive()
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
