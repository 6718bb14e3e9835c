package proc

import (
	"os"
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"
)

// TestSealed: who was started with a mark, and whoever that starts, is told by its hard
// limit, whatever it does about the soft one.
func TestSealed(t *testing.T) {
	fs, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	defer fs.Close()
	const mark = 1<<62 + 5
	limit := MarkLimit(mark)
	if limit == nil || limit.Cur != mark || limit.Max <= mark {
		t.Fatalf("the limit is %+v", limit)
	}
	if fs.Sealed(os.Getpid()) {
		t.Error("we are sealed ourselves")
	}
	cmd := exec.Command("sleep", "1000")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	pid := cmd.Process.Pid
	if fs.Sealed(pid) || fs.Mark(pid) != 0 {
		t.Errorf("sealed %v, mark %d, of who is not", fs.Sealed(pid), fs.Mark(pid))
	}
	for _, l := range []*unix.Rlimit{limit, {Cur: 1, Max: limit.Max}, {Cur: limit.Max, Max: limit.Max}, {Cur: 0, Max: 0}} {
		if err := unix.Prlimit(pid, unix.RLIMIT_LOCKS, l, nil); err != nil {
			t.Fatal(err)
		}
		if !fs.Sealed(pid) || fs.Mark(pid) != l.Cur {
			t.Errorf("%+v: sealed %v, mark %d", l, fs.Sealed(pid), fs.Mark(pid))
		}
	}
	cmd.Process.Kill()
	cmd.Wait()
	if fs.Sealed(pid) {
		t.Error("who has ended is sealed")
	}
}
