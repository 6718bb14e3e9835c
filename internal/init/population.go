package pid1

import (
	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/contain"
	"github.com/sbinit/sbinit/internal/proc"
)

// The namespace is everybody in PID 1's namespace but PID 1 (kill(2), pid -1):
// also what `docker exec` left, which is no child of ours.
type namespace struct {
	fs   *proc.FS // nil without /proc
	told unix.Signal
}

// tell signals all at once. SIGTERM goes out once, since a handler that runs
// is not to be interrupted by it again; SIGKILL in each pass.
func (n *namespace) tell(sigs ...unix.Signal) {
	if sigs[0] == n.told && sigs[0] != unix.SIGKILL {
		return
	}
	n.told = sigs[0]
	for _, sig := range sigs {
		_ = unix.Kill(-1, sig) // ESRCH: nobody is left, which empty finds out
	}
}

// empty: ECHILD would not tell, since who came by `docker exec` has parent 0.
func (n *namespace) empty() bool { return unix.Kill(-1, 0) == unix.ESRCH }

func (n *namespace) survivors() []proc.Stat {
	return walkFor(n.fs, func(s *snapshot, fn func(*proc.Stat)) {
		for i := range s.procs {
			if s.procs[i].PID != 1 {
				fn(&s.procs[i])
			}
		}
	})
}

// The descendants are everybody below a subreaper. They are found by walking
// /proc and signalled one by one, each identified: a subreaper shares its
// namespace with strangers.
type descendants struct {
	self  int
	fs    *proc.FS // nil without /proc: then nobody can be told apart from a stranger
	fence *contain.Fence
	told  map[proc.ID]unix.Signal
	snap  snapshot
}

func (d *descendants) tell(sigs ...unix.Signal) {
	if d.fs == nil || d.snap.take(d.fs) != nil {
		return
	}
	d.snap.descendants(d.self, func(p *proc.Stat) {
		if d.told[p.ID] == sigs[0] {
			return
		}
		if d.fence.Signal(p.ID, sigs...) == nil {
			d.told[p.ID] = sigs[0]
		}
	})
}

// empty: a subreaper without children has no descendants, since whoever loses
// a parent below it becomes its child.
func (d *descendants) empty() bool {
	err := unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT|unix.WALL, nil)
	return err == unix.ECHILD || d.fs == nil
}

func (d *descendants) survivors() []proc.Stat {
	return walkFor(d.fs, func(s *snapshot, fn func(*proc.Stat)) { s.descendants(d.self, fn) })
}

// survivorsNamed bounds what is said of survivors.
const survivorsNamed = 16

func walkFor(fs *proc.FS, visit func(*snapshot, func(*proc.Stat))) []proc.Stat {
	var s snapshot
	if fs == nil || s.take(fs) != nil {
		return nil
	}
	var left []proc.Stat
	visit(&s, func(p *proc.Stat) {
		if p.Alive() && len(left) < survivorsNamed {
			left = append(left, *p)
		}
	})
	return left
}
