package proc

import "slices"

// A Snapshot is one walk of /proc, ordered by process number. Its buffers are
// used again by the next walk.
type Snapshot struct {
	Procs  []Stat
	parent []int32 // index into Procs of each one's parent, or -1
	marks  []mark
}

type mark uint8

const (
	unknown mark = iota
	inside
	outside
)

// Take reads all processes anew. Buffers that a crowd has left, and that few need
// now, are let go.
func (s *Snapshot) Take(fs *FS) (err error) {
	if cap(s.Procs) > 4*max(len(s.Procs), 256) {
		*s = Snapshot{Procs: make([]Stat, 0, len(s.Procs))}
	}
	s.Procs, err = fs.Walk(s.Procs[:0])
	s.Index()
	return err
}

// Index orders Procs and finds each one's parent. A process that is older than
// the one with its parent's number is not its child: the number was given out
// anew during the walk.
func (s *Snapshot) Index() {
	s.order()
	s.parent = s.parent[:0]
	for i := range s.Procs {
		at := s.find(s.Procs[i].PPID)
		if at >= 0 && s.Procs[at].Start > s.Procs[i].Start {
			at = -1
		}
		s.parent = append(s.parent, int32(at))
	}
}

// order is an insertion sort, for the kernel lists processes by number already
// (next_tgid in fs/proc/base.c).
func (s *Snapshot) order() {
	for i := range s.Procs {
		for ; i > 0 && s.Procs[i-1].PID > s.Procs[i].PID; i-- {
			s.Procs[i-1], s.Procs[i] = s.Procs[i], s.Procs[i-1]
		}
	}
}

// find returns the index of the process with that number, or -1.
func (s *Snapshot) find(pid int) int {
	i, ok := slices.BinarySearchFunc(s.Procs, pid, func(p Stat, pid int) int { return p.PID - pid })
	if !ok {
		return -1
	}
	return i
}

// Get returns that very process, or nil if it has ended.
func (s *Snapshot) Get(id ID) *Stat {
	if i := s.find(id.PID); i >= 0 && s.Procs[i].ID == id {
		return &s.Procs[i]
	}
	return nil
}

// Parent returns the parent of Procs[i], or nil if it is not among them.
func (s *Snapshot) Parent(i int) *Stat {
	if at := s.parent[i]; at >= 0 {
		return &s.Procs[at]
	}
	return nil
}

// Parents calls fn for each process that has a child for which of says yes,
// once for each such child.
func (s *Snapshot) Parents(of func(*Stat) bool, fn func(*Stat)) {
	for i := range s.Procs {
		if parent := s.Parent(i); parent != nil && of(&s.Procs[i]) {
			fn(parent)
		}
	}
}

// Subtree calls fn for each process that is a root or has one above it with no
// barrier on the way, in the order of their numbers.
func (s *Snapshot) Subtree(root, barrier func(*Stat) bool, fn func(*Stat)) {
	s.marks = append(s.marks[:0], make([]mark, len(s.Procs))...)
	for i := range s.Procs {
		if s.classify(i, root, barrier) == inside {
			fn(&s.Procs[i])
		}
	}
}

// Descendants calls fn for each process below the one with number self.
func (s *Snapshot) Descendants(self int, fn func(*Stat)) {
	isChild := func(p *Stat) bool { return p.PPID == self }
	isSelf := func(p *Stat) bool { return p.PID == self }
	s.Subtree(isChild, isSelf, fn)
}

// classify climbs from a process until the answer is known, then writes it to
// all on the way, so that a long chain is climbed once.
func (s *Snapshot) classify(i int, root, barrier func(*Stat) bool) mark {
	at, answer := i, outside
	for steps := 0; at >= 0 && steps <= len(s.Procs); steps++ {
		if s.marks[at] != unknown {
			answer = s.marks[at]
			break
		}
		if p := &s.Procs[at]; barrier(p) {
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
