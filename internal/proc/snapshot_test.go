package proc

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// processes are numbered in the order given; each has a parent and a start time.
func snapshotOf(procs ...Stat) *Snapshot {
	s := &Snapshot{Procs: procs}
	s.Index()
	return s
}

func process(pid, ppid int, start uint64) Stat {
	return Stat{ID: ID{PID: pid, Start: start}, PPID: ppid, State: 'S', Threads: 1}
}

func is(pid int) func(*Stat) bool { return func(p *Stat) bool { return p.PID == pid } }
func nobody(*Stat) bool           { return false }

func subtree(s *Snapshot, root, barrier func(*Stat) bool) (pids []int) {
	s.Subtree(root, barrier, func(p *Stat) { pids = append(pids, p.PID) })
	return pids
}

func TestSubtree(t *testing.T) {
	// 1 ─ 2 ─ 30 ─ 31      numbers are given out anew, so a parent's may be the higher
	//   └ 50 ─ 4 ─ 5
	//        └ 60
	s := snapshotOf(process(60, 50, 6), process(1, 0, 1), process(2, 1, 2), process(31, 30, 3), process(30, 2, 3),
		process(50, 1, 4), process(4, 50, 5), process(5, 4, 5))
	for _, c := range []struct {
		root, barrier func(*Stat) bool
		want          []int
	}{
		{is(50), nobody, []int{4, 5, 50, 60}},
		{is(50), is(4), []int{50, 60}},
		{is(50), is(50), nil},
		{is(1), is(2), []int{1, 4, 5, 50, 60}},
		{is(5), nobody, []int{5}},
		{nobody, nobody, nil},
		{func(p *Stat) bool { return p.PID == 30 || p.PID == 4 }, nobody, []int{4, 5, 30, 31}},
	} {
		if got := subtree(s, c.root, c.barrier); !slices.Equal(got, c.want) {
			t.Errorf("%v, want %v", got, c.want)
		}
	}
	var below []int
	s.Descendants(50, func(p *Stat) { below = append(below, p.PID) })
	if want := []int{4, 5, 60}; !slices.Equal(below, want) {
		t.Errorf("below 50 are %v, want %v", below, want)
	}
}

func TestGet(t *testing.T) {
	s := snapshotOf(process(3, 1, 30), process(1, 0, 10))
	if p := s.Get(ID{3, 30}); p == nil || p.PID != 3 {
		t.Errorf("%v", p)
	}
	for _, id := range []ID{{3, 31}, {2, 30}, {4, 30}, {}} {
		if p := s.Get(id); p != nil {
			t.Errorf("%v is %v", id, p)
		}
	}
}

// TestYoungerParent: one with a parent's number that is younger has got it anew.
func TestYoungerParent(t *testing.T) {
	s := snapshotOf(process(1, 0, 1), process(7, 1, 90), process(8, 7, 80), process(9, 7, 90))
	if got := subtree(s, is(7), nobody); !slices.Equal(got, []int{7, 9}) {
		t.Errorf("%v", got)
	}
}

func TestParents(t *testing.T) {
	s := snapshotOf(process(1, 0, 1), process(2, 1, 2), process(3, 2, 3), process(4, 2, 3), process(5, 99, 3))
	var got []int
	s.Parents(func(p *Stat) bool { return p.PID != 2 }, func(p *Stat) { got = append(got, p.PID) })
	if !slices.Equal(got, []int{2, 2}) {
		t.Errorf("%v", got)
	}
}

// TestLongChain: each process is asked about once, however deep it is.
func TestLongChain(t *testing.T) {
	const length = 2000
	for _, upward := range []bool{true, false} {
		s := &Snapshot{}
		for i := range length {
			pid, ppid := i+10, i+9
			if upward {
				pid, ppid = length+10-i, length+11-i
			}
			s.Procs = append(s.Procs, process(pid, ppid, 1))
		}
		s.Index()
		first, asked := s.Procs[0].PID, 0
		if upward {
			first = s.Procs[length-1].PID
		}
		got := subtree(s, is(first), func(*Stat) bool { asked++; return false })
		if len(got) != length || asked > length {
			t.Errorf("upward %v: %d of %d, asked %d times", upward, len(got), length, asked)
		}
	}
}

// TestCycle: a walk is not one moment, and can show what never was. It must end.
func TestCycle(t *testing.T) {
	s := snapshotOf(process(2, 3, 1), process(3, 4, 1), process(4, 2, 1), process(5, 4, 1), process(6, 6, 1))
	if got := subtree(s, nobody, nobody); got != nil {
		t.Errorf("%v", got)
	}
	if got := subtree(s, is(3), nobody); !slices.Equal(got, []int{2, 3, 4, 5}) {
		t.Errorf("%v", got)
	}
}

// TestSnapshotAllocatesNothing once its buffers have grown.
func TestSnapshotAllocatesNothing(t *testing.T) {
	fs, s := open(t), &Snapshot{}
	seen := 0
	visit := func(*Stat) { seen++ }
	if n := testing.AllocsPerRun(20, func() {
		if err := s.Take(fs); err != nil {
			t.Fatal(err)
		}
		s.Subtree(nobody, nobody, visit)
	}); n > 1 { // others may start processes meanwhile, and buffers grow
		t.Errorf("%v allocations", n)
	}
}

// TestSubtreeIsWhatItSays compares with a definition that is slow and plain.
func TestSubtreeIsWhatItSays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		numbers := rapid.SliceOfNDistinct(rapid.IntRange(1, 60), 1, 40, rapid.ID[int]).Draw(t, "numbers")
		procs := map[int]Stat{}
		var list []Stat
		for _, pid := range numbers {
			p := process(pid, rapid.IntRange(0, 60).Draw(t, "parent"), uint64(rapid.IntRange(1, 3).Draw(t, "start")))
			procs[pid] = p
			list = append(list, p)
		}
		roots := rapid.MapOf(rapid.IntRange(1, 60), rapid.Just(true)).Draw(t, "roots")
		barriers := rapid.MapOf(rapid.IntRange(1, 60), rapid.Just(true)).Draw(t, "barriers")
		inside := func(pid int) bool {
			for range len(procs) + 1 {
				p, ok := procs[pid]
				if !ok || barriers[pid] {
					return false
				}
				if roots[pid] {
					return true
				}
				if parent, ok := procs[p.PPID]; ok && parent.Start > p.Start {
					return false
				}
				pid = p.PPID
			}
			return false
		}
		var want []int
		for _, pid := range slices.Sorted(slices.Values(numbers)) {
			if inside(pid) {
				want = append(want, pid)
			}
		}
		got := subtree(snapshotOf(list...), func(p *Stat) bool { return roots[p.PID] }, func(p *Stat) bool { return barriers[p.PID] })
		if !slices.Equal(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}

// TestSnapshotOrder: in whatever order the processes come, each is found by its number.
func TestSnapshotOrder(t *testing.T) {
	s := Snapshot{}
	for _, pid := range []int{5, 3, 9, 1, 7, 2} {
		s.Procs = append(s.Procs, Stat{ID: ID{PID: pid, Start: uint64(pid)}, PPID: pid - 1})
	}
	s.Index()
	for i, pid := range []int{1, 2, 3, 5, 7, 9} {
		if p := s.Get(ID{PID: pid, Start: uint64(pid)}); p != &s.Procs[i] {
			t.Errorf("process %d is %v", pid, p)
		}
	}
	if s.Parent(2) != &s.Procs[1] || s.Parent(3) != nil {
		t.Error("wrong parents")
	}
}
