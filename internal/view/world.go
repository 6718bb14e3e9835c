package view

import (
	"errors"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/sbinit/sbinit/internal/control"
	"github.com/sbinit/sbinit/internal/proc"
)

// A World is what was found at one moment.
type World struct {
	Processes []Process // in the order of their numbers

	Status *control.Status // what the init says of itself; nil: nothing
	Silent error           // why it says nothing; nil with Status, or if there is no socket
	Ours   bool            // PID 1 is an sbinit
	Hidden bool            // processes of other users may not be shown to us

	NoSocket error // why there is no socket; nil if there is, or if none was asked for
	Unsure   error // why it cannot be told whether PID 1 is an sbinit
}

// A Process is one of them.
type Process struct {
	proc.Stat
	UID   int
	RSS   int64 // bytes
	PSS   int64 // bytes; -1: not asked for, or not readable
	Age   time.Duration
	Args  []string   // none of a zombie, or if they could not be read in time
	Names proc.Names // likewise: its Comm is there always
	Mark  uint64     // what its guard or session is known by, or 0 (proc.FS.Mark)
	Role  Role
	Owner Owner
}

// A Role is what a process of sbinit's own does.
type Role uint8

// NoRole is of all that is not sbinit's own. A keeper is the parent of a guarded daemon,
// a worker of a terminal session's program; the front of either is their parent.
const (
	NoRole Role = iota
	Front
	Keeper
	Worker
)

// An Owner is what a process lives no longer than.
type Owner struct {
	Kind Kind
	PID  int    // of a guard or session
	Name string // of a guard
}

// A Kind of owner.
type Kind string

// The kinds of owners.
const (
	OwnerInit    Kind = "init"    // it is PID 1
	OwnerSbinit  Kind = "sbinit"  // a process of sbinit's own, beside PID 1
	OwnerMain    Kind = "main"    // the main program, which is one with the container
	OwnerGuard   Kind = "guard"   // ends with that guard
	OwnerSession Kind = "session" // ends with that terminal session
	OwnerOrphan  Kind = "orphan"  // adopted by PID 1, and nobody's
	OwnerExec    Kind = "exec"    // started from outside: its parent is none of this PID namespace
	OwnerUnknown Kind = "unknown" // its parent is not shown to us
)

// get returns the process of that number, or nil.
func (w *World) get(pid int) *Process {
	i, ok := slices.BinarySearchFunc(w.Processes, pid, func(p Process, pid int) int { return p.PID - pid })
	if !ok {
		return nil
	}
	return &w.Processes[i]
}

// parent returns nil if it is outside, or not shown to us.
func (w *World) parent(p *Process) *Process {
	parent := w.get(p.PPID)
	if parent == nil || parent.Start > p.Start {
		return nil // or its number is another's already
	}
	return parent
}

// main is the number of the main program, which the init says, or the oldest child of
// PID 1: an init starts nothing else. 0: there is none.
func (w *World) main() int {
	if w.Status != nil {
		return w.Status.Main.PID
	}
	var oldest *Process
	for i := range w.Processes {
		p := &w.Processes[i]
		if p.PPID == 1 && p.Alive() && (oldest == nil || p.Start < oldest.Start) {
			oldest = p
		}
	}
	if oldest == nil {
		return 0
	}
	return oldest.PID
}

// adopted says whether PID 1 is the parent of a process and did not start it. Whether that
// is a session's worker its name says only where the init does not: anybody can call
// himself one.
func (w *World) adopted(p *Process, main int) bool {
	if p.PPID != 1 || p.PID == main {
		return false
	}
	if w.Status != nil {
		return w.session(p.PID) == nil
	}
	return p.Role != Worker
}

func (w *World) session(pid int) *control.Session {
	if w.Status == nil {
		return nil
	}
	i := slices.IndexFunc(w.Status.Sessions, func(s control.Session) bool { return s.PID == pid })
	if i < 0 {
		return nil
	}
	return &w.Status.Sessions[i]
}

// orphans are the live processes that PID 1 adopted.
func (w *World) orphans() (list []*Process) {
	main := w.main()
	for i := range w.Processes {
		if p := &w.Processes[i]; p.Alive() && w.adopted(p, main) {
			list = append(list, p)
		}
	}
	return list
}

func (w *World) zombies() (list []*Process) {
	for i := range w.Processes {
		if p := &w.Processes[i]; !p.Alive() {
			list = append(list, p)
		}
	}
	return list
}

// inits are programs that start one child, and adopt all others.
var inits = []string{"sbinit", "tini", "docker-init", "dumb-init", "catatonit", "podman-init"}

// isInit says whether PID 1 is one of them: then its other children are orphans.
func (w *World) isInit() bool {
	first := w.get(1)
	return w.Ours || first != nil && first.Names.Match(inits)
}

// command is what a process was started as, for people; in brackets what is known of one
// without arguments.
func (p *Process) command() string {
	if len(p.Args) == 0 {
		return "[" + Escaped(p.Comm()) + "]"
	}
	return Escaped(strings.Join(p.Args, " "))
}

// name is short.
func (p *Process) name() string { return Escaped(p.Names.String()) }

// program is the base name of a path.
func program(file string) string { return path.Base(file) }

var errHidden = errors.New("processes of other users are hidden (hidepid): orphans cannot be counted")
