package pid1

import (
	"slices"

	"github.com/sbinit/sbinit/internal/proc"
)

// A snapshot is one walk of /proc, ordered by process number. Its buffers are
// used again by the next walk.
type snapshot struct {
	procs  []proc.Stat
	parent []int32 // index into procs of each one's parent, or -1
	marks  []mark
}

type mark uint8

const (
	unknown mark = iota
	inside
	outside
)

// take reads all processes anew.
func (s *snapshot) take(fs *proc.FS) (err error) {
	s.procs, err = fs.Walk(s.procs[:0])
	s.index()
	return err
}

// index orders the processes and finds each one's parent.
func (s *snapshot) index() {
	byPID := func(a, b proc.Stat) int { return a.PID - b.PID }
	if !slices.IsSortedFunc(s.procs, byPID) {
		slices.SortFunc(s.procs, byPID)
	}
	s.parent = s.parent[:0]
	for i := range s.procs {
		s.parent = append(s.parent, int32(s.find(s.procs[i].PPID)))
	}
}

// find returns the index of the process with that number, or -1.
func (s *snapshot) find(pid int) int {
	i, ok := slices.BinarySearchFunc(s.procs, pid, func(p proc.Stat, pid int) int { return p.PID - pid })
	if !ok {
		return -1
	}
	return i
}

// get returns that very process, or nil if it has ended.
func (s *snapshot) get(id proc.ID) *proc.Stat {
	if i := s.find(id.PID); i >= 0 && s.procs[i].ID == id {
		return &s.procs[i]
	}
	return nil
}

// subtree calls fn, parents before children where numbers allow, for each
// process that is a root or has one above it with no barrier on the way.
// Neither root nor barrier is asked twice of one process.
func (s *snapshot) subtree(root, barrier func(*proc.Stat) bool, fn func(*proc.Stat)) {
	s.marks = append(s.marks[:0], make([]mark, len(s.procs))...)
	for i := range s.procs {
		if s.classify(i, root, barrier) == inside {
			fn(&s.procs[i])
		}
	}
}

// classify climbs from a process until the answer is known, then writes it to
// all on the way, so that a long chain is climbed once.
func (s *snapshot) classify(i int, root, barrier func(*proc.Stat) bool) mark {
	at, answer := i, outside
	for steps := 0; at >= 0 && steps <= len(s.procs); steps++ {
		if s.marks[at] != unknown {
			answer = s.marks[at]
			break
		}
		if p := &s.procs[at]; barrier(p) {
			break
		} else if root(p) {
			answer = inside
			break
		}
		at = int(s.parent[at])
	}
	stop := at
	for at = i; at >= 0 && at != stop && s.marks[at] == unknown; at = int(s.parent[at]) {
		s.marks[at] = answer
	}
	if stop >= 0 {
		s.marks[stop] = answer
	}
	return s.marks[i]
}

// descendants calls fn for each process below the one with number self.
func (s *snapshot) descendants(self int, fn func(*proc.Stat)) {
	isChild := func(p *proc.Stat) bool { return p.PPID == self }
	isSelf := func(p *proc.Stat) bool { return p.PID == self }
	s.subtree(isChild, isSelf, fn)
}
