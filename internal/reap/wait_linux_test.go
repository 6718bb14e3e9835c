package reap

import (
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

func TestCode(t *testing.T) {
	for _, c := range []struct {
		command string
		want    int
	}{
		{"exit 0", 0}, {"exit 1", 1}, {"exit 255", 255},
		{"kill -TERM $$", 143}, {"kill -KILL $$", 137}, {"kill -34 $$", 162},
	} {
		if got := Code(await(t, mustStart(t, command("sh", "-c", c.command)))); got != c.want {
			t.Errorf("%s: %d, want %d", c.command, got, c.want)
		}
	}
}

func TestDrainWithoutChildren(t *testing.T) {
	more, none, err := Drain(8, func(e Exit) { t.Errorf("process %d", e.PID) })
	if more || !none || err != nil {
		t.Errorf("more %v, none %v, %v", more, none, err)
	}
}

func TestDrainDoesNotWait(t *testing.T) {
	sleeper(t, func(s *Spec) {})
	more, none, err := Drain(8, func(e Exit) { t.Errorf("process %d", e.PID) })
	if more || none || err != nil {
		t.Errorf("more %v, none %v, %v", more, none, err)
	}
}

func TestDrainKeepsToItsBudget(t *testing.T) {
	const children, budget = 10, 4
	left := map[int]bool{}
	for range children {
		left[mustStart(t, command("true"))] = true
	}
	for pid := range left {
		eventually(t, "the exit of all", func() bool { return statusField(t, pid, "State") == "Z (zombie)" })
	}
	for _, step := range []struct {
		calls      int
		more, none bool
	}{{4, true, false}, {4, true, false}, {2, false, true}} {
		calls := 0
		more, none, err := Drain(budget, func(e Exit) {
			calls++
			if !left[e.PID] || e.Status != 0 {
				t.Errorf("process %d, status %#x", e.PID, e.Status)
			}
			delete(left, e.PID)
		})
		if calls != step.calls || more != step.more || none != step.none || err != nil {
			t.Errorf("%d calls, more %v, none %v, %v; want %+v", calls, more, none, err, step)
		}
	}
}

func TestDrainTellsOfStops(t *testing.T) {
	pid := sleeper(t, func(s *Spec) {})
	if err := unix.Kill(pid, unix.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if status := await(t, pid); !status.Stopped() || status.StopSignal() != unix.SIGSTOP {
		t.Errorf("status %#x", status)
	}
}

// A child whose end makes no SIGCHLD is one that wait(2) overlooks without __WALL.
func TestDrainFindsCloneChildren(t *testing.T) {
	pid := cloneSilently()
	if pid <= 0 {
		t.Fatalf("clone: %v", syscall.Errno(-pid))
	}
	if status := await(t, pid); Code(status) != 9 {
		t.Errorf("status %#x", status)
	}
}

// cloneSilently makes a child without an exit signal, which exits at once.
//
//go:noinline
//go:norace
func cloneSilently() int {
	beforeFork()
	pid, _, errno := syscall.RawSyscall6(unix.SYS_CLONE, 0, 0, 0, 0, 0, 0)
	if pid == 0 && errno == 0 {
		for {
			syscall.RawSyscall(unix.SYS_EXIT_GROUP, 9, 0, 0)
		}
	}
	afterFork()
	if errno != 0 {
		return -int(errno)
	}
	return int(pid)
}

func TestDrainDoesNotAllocate(t *testing.T) {
	sleeper(t, func(s *Spec) {})
	seen := 0
	count := func(Exit) { seen++ }
	if n := testing.AllocsPerRun(100, func() { Drain(64, count) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
