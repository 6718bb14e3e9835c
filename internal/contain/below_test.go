package contain

import (
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/proc"
)

// A stage is a kernel with a few processes, and a list of what it was asked.
type stage struct {
	procs  map[int]proc.Stat
	onOpen func() // what happens as a descriptor is opened
	log    []string
	asked  map[int]int // how often the state of each was read
}

// process describes one by number, parent and start time.
func process(pid, ppid int, start uint64) proc.Stat {
	return proc.Stat{ID: proc.ID{PID: pid, Start: start}, PPID: ppid, State: 'S', Threads: 1}
}

func newStage(procs ...proc.Stat) *stage {
	s := &stage{procs: map[int]proc.Stat{}, asked: map[int]int{}}
	for _, p := range procs {
		s.procs[p.PID] = p
	}
	return s
}

func (s *stage) Stat(pid int) (proc.Stat, error) {
	s.log = append(s.log, "stat")
	s.asked[pid]++
	p, ok := s.procs[pid]
	if !ok {
		return p, unix.ENOENT
	}
	return p, nil
}

func (s *stage) Open(pid int) (int, error) {
	s.log = append(s.log, "open")
	if s.onOpen != nil {
		s.onOpen()
	}
	if _, ok := s.procs[pid]; !ok {
		return -1, unix.ESRCH
	}
	return pid, nil
}

func (s *stage) Send(fd int, sig unix.Signal) error {
	s.log = append(s.log, sig.String())
	return nil
}

func (s *stage) Close(int) { s.log = append(s.log, "close") }

const root = 100

// below signals one process of a stage.
func below(s *stage, id proc.ID) error {
	f := newFence(s, true)
	f.begin(root)
	return f.SignalBelow(id, unix.SIGTERM)
}

func (s *stage) sent() bool { return slices.Contains(s.log, unix.SIGTERM.String()) }

func TestIdentityIsReadAfterOpening(t *testing.T) {
	s := newStage(process(7, root, 70))
	if err := newFence(s, true).Signal(proc.ID{PID: 7, Start: 70}, unix.SIGTERM, unix.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if want := []string{"open", "stat", "terminated", "continued", "close"}; !slices.Equal(s.log, want) {
		t.Errorf("%v, want %v", s.log, want)
	}
}

// TestNumberChangesHandsBeforeOpening: the descriptor is another's then.
func TestNumberChangesHandsBeforeOpening(t *testing.T) {
	s := newStage(process(7, root, 70))
	s.onOpen = func() { s.procs[7] = process(7, 1, 90) }
	if err := below(s, proc.ID{PID: 7, Start: 70}); err != ErrGone || s.sent() {
		t.Errorf("%v, %v", err, s.log)
	}
}

func TestSignalBelow(t *testing.T) {
	s := newStage(process(root, 1, 10), process(7, root, 70), process(8, 7, 70), process(9, 8, 71))
	for _, pid := range []int{7, 8, 9} {
		s.log = nil
		if err := below(s, s.procs[pid].ID); err != nil || !s.sent() {
			t.Errorf("%d: %v, %v", pid, err, s.log)
		}
	}
}

func TestSignalBelowNotToStrangers(t *testing.T) {
	for name, procs := range map[string][]proc.Stat{
		"below PID 1":               {process(9, 8, 90), process(8, 1, 80)},
		"child of PID 1":            {process(9, 1, 90)},
		"from outside":              {process(9, 0, 90)},
		"the root itself":           {process(9, 1, 90)},
		"parent has gone":           {process(9, 8, 90)},
		"parent is younger":         {process(9, 8, 90), process(8, root, 91)},
		"ancestor is younger":       {process(9, 8, 90), process(8, 7, 80), process(7, root, 81)},
		"taken over by another one": {process(9, 8, 90), process(8, 5, 80), process(5, 1, 2), process(root, 1, 10)},
	} {
		s := newStage(procs...)
		if err := below(s, s.procs[9].ID); err != ErrUnidentified || s.sent() {
			t.Errorf("%s: %v, %v", name, err, s.log)
		}
	}
}

// TestSignalBelowClimbsOnce: a chain of n costs n readings, not their square, if
// parents come first.
func TestSignalBelowClimbsOnce(t *testing.T) {
	s := newStage()
	f := newFence(s, true)
	f.begin(root)
	const length = 200
	for i := range length {
		pid := root + 1 + i
		s.procs[pid] = process(pid, pid-1, uint64(pid))
		if err := f.SignalBelow(s.procs[pid].ID, unix.SIGTERM); err != nil {
			t.Fatal(err)
		}
	}
	readings := 0
	for _, n := range s.asked {
		readings += n
	}
	if readings > 2*length {
		t.Errorf("%d readings for %d processes", readings, length)
	}
}

// TestSignalBelowForgets: a pass knows only what it has seen itself.
func TestSignalBelowForgets(t *testing.T) {
	s := newStage(process(7, root, 70), process(8, 7, 80))
	f := newFence(s, true)
	f.begin(root)
	if err := f.SignalBelow(s.procs[7].ID, unix.SIGTERM); err != nil {
		t.Fatal(err)
	}
	s.procs[7] = process(7, 1, 70)
	f.begin(root)
	if err := f.SignalBelow(s.procs[8].ID, unix.SIGTERM); err != ErrUnidentified {
		t.Error(err)
	}
}
