package reap

import (
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// Descriptors and zombies must not pile up, whether starts succeed or fail.
func TestThousandStarts(t *testing.T) {
	before := descriptors(t, os.Getpid())
	for i := range 1000 {
		s := command("true")
		if i%4 == 0 {
			s.Paths = []string{"./absent"}
		}
		pid, err := Start(s)
		if (err != nil) != (i%4 == 0) {
			t.Fatalf("start %d: %v", i, err)
		}
		if err == nil {
			await(t, pid)
		}
	}
	if after := descriptors(t, os.Getpid()); !slices.Equal(before, after) {
		t.Errorf("descriptors before %v, after %v", before, after)
	}
	checkNoChild(t)
}

// Between fork and exec the child has a copy of a memory in which anything may be under
// way: garbage collection with its write barriers, allocation, growing stacks.
func TestStartAmongBusyGoroutines(t *testing.T) {
	var stop atomic.Bool
	var busy sync.WaitGroup
	defer busy.Wait()
	defer stop.Store(true)
	for _, work := range []func(){runtime.GC, allocate, allocate, func() { _ = deep(1000) }} {
		busy.Go(func() {
			for !stop.Load() {
				work()
			}
		})
	}
	for i := range 300 {
		want := i % 256
		pid := mustStart(t, command("sh", "-c", "exit "+strconv.Itoa(want)))
		if got := Code(await(t, pid)); got != want {
			t.Fatalf("start %d: status %d, want %d", i, got, want)
		}
	}
}

var sink atomic.Pointer[[]string]

func allocate() {
	list := make([]string, 100)
	for i := range list {
		list[i] = strconv.Itoa(i)
	}
	sink.Store(&list)
}

// deep makes the stack grow.
func deep(n int) int {
	if n == 0 {
		return 0
	}
	return deep(n-1) + 1
}

func TestLargeArguments(t *testing.T) {
	argument := strings.Repeat("x", 64<<10)
	pid := mustStart(t, command("sh", "-c", `test ${#1} = 65536 && exit 5`, "sh", argument))
	if status := await(t, pid); Code(status) != 5 {
		t.Errorf("one of 64 KiB: status %#x", status)
	}
	many := []string{"sh", "-c", `test $# = 8000 && exit 6`, "sh"}
	for i := range 8000 {
		many = append(many, strconv.Itoa(i))
	}
	pid = mustStart(t, command(many...))
	if status := await(t, pid); Code(status) != 6 {
		t.Errorf("8000: status %#x", status)
	}
}

func TestLargeEnvironment(t *testing.T) {
	var env []string
	for i := range 1000 {
		env = append(env, "V"+strconv.Itoa(i)+"="+strings.Repeat("y", 1000))
	}
	pid := sleeper(t, func(s *Spec) { s.Env = env })
	if got := procFile(t, pid, "environ"); got != strings.Join(env, "\x00")+"\x00" {
		t.Errorf("%d bytes of environment, want %d", len(got), len(env)*1007)
	}
}

// vfork and exec as the standard library has it, for comparison.
func BenchmarkStart(b *testing.B) {
	s := command("true")
	s.Paths = []string{"/bin/true"}
	b.Run("reap", func(b *testing.B) {
		for range b.N {
			waitFor(mustStart(b, s))
		}
	})
	b.Run("os", func(b *testing.B) {
		for range b.N {
			p, err := os.StartProcess("/bin/true", s.Argv, &os.ProcAttr{})
			if err != nil {
				b.Fatal(err)
			}
			waitFor(p.Pid)
			p.Release()
		}
	})
}
