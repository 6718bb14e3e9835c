package contain

import (
	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/proc"
)

// A Namespace is everybody in PID 1's namespace but PID 1 (kill(2), pid -1):
// also what `docker exec` left, which is no child of ours. Only PID 1 may use it.
type Namespace struct {
	FS   *proc.FS // names survivors; nil without /proc
	told unix.Signal
}

// Tell signals all at once. SIGTERM goes out once: a handler that runs is not to
// be interrupted by it again.
func (n *Namespace) Tell(sigs ...unix.Signal) Tally {
	if sigs[0] == n.told && sigs[0] != unix.SIGKILL {
		return Tally{Signalled: -1}
	}
	n.told = sigs[0]
	for _, sig := range sigs {
		_ = unix.Kill(-1, sig) // ESRCH: nobody is left, which Empty finds out
	}
	return Tally{Signalled: -1}
}

// Empty asks kill(2): ECHILD would not tell, since who came by `docker exec` has
// parent 0.
func (n *Namespace) Empty() bool { return unix.Kill(-1, 0) == unix.ESRCH }

// Survivors names some of who is left.
func (n *Namespace) Survivors() []proc.Stat {
	return survivors(n.FS, func(s *proc.Snapshot, fn func(*proc.Stat)) {
		for i := range s.Procs {
			if s.Procs[i].PID != 1 {
				fn(&s.Procs[i])
			}
		}
	})
}

// survivorsNamed bounds what is said of survivors.
const survivorsNamed = 16

func survivors(fs *proc.FS, visit func(*proc.Snapshot, func(*proc.Stat))) []proc.Stat {
	var s proc.Snapshot
	if fs == nil || s.Take(fs) != nil {
		return nil
	}
	var left []proc.Stat
	visit(&s, func(p *proc.Stat) {
		if len(left) < survivorsNamed {
			left = append(left, *p)
		}
	})
	return left
}
