package proc

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/testns"
)

func TestWalkFindsProcesses(t *testing.T) {
	fs := open(t)
	child := startProcess(t, pauser(executable(), []string{"x"}))
	all, err := fs.Walk(nil)
	if err != nil {
		t.Fatal(err)
	}
	self, started := find(all, os.Getpid()), find(all, child)
	switch {
	case self == nil || started == nil:
		t.Fatalf("of %d processes, self is %v, the child %v", len(all), self, started)
	case started.PPID != os.Getpid() || started.PGID != unix.Getpgrp() || started.Threads < 1 || !started.Alive():
		t.Errorf("the child is %+v", started)
	case started.Start < self.Start || self.Start == 0:
		t.Errorf("started at %d, its parent at %d", started.Start, self.Start)
	}
	if s, err := fs.Stat(child); err != nil || s.ID != started.ID {
		t.Errorf("Stat says %+v, %v", s, err)
	}
}

func find(all []Stat, pid int) *Stat {
	i := slices.IndexFunc(all, func(s Stat) bool { return s.PID == pid })
	if i < 0 {
		return nil
	}
	return &all[i]
}

func init() {
	testns.Register("walk", walkMany)
	testns.Register("walk-once", walkOnce)
	testns.Register("last-pid", lastPID)
	testns.Register("adopted", adopted)
}

// walkMany TOOL: more processes than one buffer of directory entries holds.
func walkMany(args []string) int {
	const children = 500
	cmd := exec.Command(args[0], "wide", fmt.Sprint(children))
	if err := startReady(cmd); err != nil {
		return complain(err)
	}
	fs, err := Open()
	if err != nil {
		return complain(err)
	}
	all, err := fs.Walk(nil)
	if err != nil {
		return complain(err)
	}
	found := 0
	for _, s := range all {
		if s.PPID == cmd.Process.Pid {
			found++
		}
	}
	allocs := testing.AllocsPerRun(5, func() { all, err = fs.Walk(all[:0]) })
	fmt.Printf("found %d of %d, then %v allocations, error %v\n", found, children, allocs, err)
	return 0
}

// walkOnce prints a line for each process there is, PID 1 aside, once all of them
// have come to rest.
func walkOnce(args []string) int {
	if err := startReady(exec.Command(args[0], args[1:]...)); err != nil {
		return complain(err)
	}
	fs, err := Open()
	if err != nil {
		return complain(err)
	}
	var all []Stat
	for running := true; running; {
		if all, err = fs.Walk(all[:0]); err != nil {
			return complain(err)
		}
		running = slices.ContainsFunc(all, func(s Stat) bool { return s.PID != 1 && s.State == 'R' })
	}
	for _, s := range all {
		if s.PID != 1 {
			fmt.Printf("%q %c %v\n", s.Comm(), s.State, s.Alive())
		}
	}
	return 0
}

// startReady starts one of the tool's programs and waits for its "ready".
func startReady(cmd *exec.Cmd) error {
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	_, err = out.Read(make([]byte, len("ready\n")))
	return err
}

func complain(err error) int {
	fmt.Fprintln(os.Stderr, err)
	return 1
}

func TestWalkManyWithoutAllocation(t *testing.T) {
	c := testns.Start(t, testns.Options{}, testns.Self("walk", testns.Tool(t))...)
	c.Wait(t)
	if want := "found 500 of 500, then 0 allocations, error <nil>\n"; c.Stdout() != want {
		t.Errorf("%s%swant %s", c.Stdout(), c.Stderr(), want)
	}
}

func TestWalkOddNames(t *testing.T) {
	for _, name := range []string{") Z 1", "a b)", "", "fifteen-bytes-x", "a\nb"} {
		c := testns.Start(t, testns.Options{}, testns.Self("walk-once", testns.Tool(t), "name", name)...)
		c.Wait(t)
		if want := fmt.Sprintf("%q S true\n", name); c.Stdout() != want {
			t.Errorf("%s%swant %s", c.Stdout(), c.Stderr(), want)
		}
	}
}

// TestWalkZombies: what shows as Z while it goes on is alive, what has ended is not.
func TestWalkZombies(t *testing.T) {
	c := testns.Start(t, testns.Options{}, testns.Self("walk-once", testns.Tool(t), "zombie-leader", "1")...)
	c.Wait(t)
	if got := c.Stdout(); !strings.Contains(got, "Z true\n") || !strings.Contains(got, "S true\n") {
		t.Errorf("a zombie leader with a thread: %s%s", got, c.Stderr())
	}
	c = testns.Start(t, testns.Options{}, testns.Self("walk-once", testns.Tool(t), "zombies", "3")...)
	c.Wait(t)
	if got := c.Stdout(); strings.Count(got, "Z false\n") != 3 {
		t.Errorf("three zombies: %s%s", got, c.Stderr())
	}
}

// lastPID prints what /proc/loadavg says before and after a child, in a namespace
// where nobody else starts anything.
func lastPID([]string) int {
	fs, err := Open()
	if err != nil {
		return complain(err)
	}
	quiet := false
	for range 100 { // the Go runtime may start a thread in between
		before, errBefore := fs.LastPID()
		after, errAfter := fs.LastPID()
		quiet = quiet || errBefore == nil && errAfter == nil && before == after
	}
	before, _ := fs.LastPID()
	cmd := pauser(executable(), []string{"x"})
	if err := cmd.Start(); err != nil {
		return complain(err)
	}
	after, err := fs.LastPID()
	fmt.Println("quiet", quiet, "moved", after > before && after >= cmd.Process.Pid, "error", err)
	return 0
}

func TestLastPID(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		c := testns.Start(t, o, testns.Self("last-pid")...)
		c.Wait(t)
		if want := "quiet true moved true error <nil>\n"; c.Stdout() != want {
			t.Errorf("%s%swant %s", c.Stdout(), c.Stderr(), want)
		}
	})
}

func TestLastPIDAllocatesNothing(t *testing.T) {
	fs := open(t)
	if n := testing.AllocsPerRun(10, func() { _, _ = fs.LastPID() }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// adopted TOOL has a process leave three others behind, and prints the children
// that are there then.
func adopted(args []string) int {
	cmd := exec.Command(args[0], "leave", "3")
	if err := cmd.Run(); err != nil {
		return complain(err)
	}
	fs, err := Open()
	if err != nil {
		return complain(err)
	}
	children, err := fs.AppendChildren(os.Getpid(), []int{77})
	for _, pid := range children[1:] {
		s, err := fs.Stat(pid)
		fmt.Printf("%s of %d %v\n", s.Comm(), s.PPID, err)
	}
	allocs := testing.AllocsPerRun(5, func() { children, _ = fs.AppendChildren(os.Getpid(), children[:0]) })
	fmt.Println("error", err, "allocations", allocs)
	return 0
}

func TestAppendChildren(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		c := testns.Start(t, o, testns.Self("adopted", testns.Tool(t))...)
		c.Wait(t)
		if want := strings.Repeat("tool of 1 <nil>\n", 3) + "error <nil> allocations 0\n"; c.Stdout() != want {
			t.Errorf("%s%swant %s", c.Stdout(), c.Stderr(), want)
		}
	})
}

func TestAppendChildrenOfNobody(t *testing.T) {
	if list, err := open(t).AppendChildren(1<<30, []int{1}); err == nil || len(list) != 1 {
		t.Errorf("%v, %v", list, err)
	}
}
