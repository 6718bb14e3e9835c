package contain

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/proc"
	"github.com/sbinit/sbinit/internal/testns"
)

func init() {
	testns.Register("empty", empty)
	testns.Register("unproven", unproven)
}

// unproven prints whether two trees are empty that are not. Of one, that of PID 1, this
// process is part and so not its reaper: it has no child itself. The other is below a
// process which has none, while this process has.
func unproven([]string) int {
	fs, err := proc.Open()
	if err != nil {
		return complain(err)
	}
	fmt.Println(NewTree(1, fs, nil).Empty())
	argv := testns.Self("holder")
	cmd := exec.Command(argv[0], argv[1:]...)
	if err := cmd.Start(); err != nil {
		return complain(err)
	}
	fmt.Println(NewTree(cmd.Process.Pid, fs, nil).Empty())
	return 0
}

// TestTreeEmptyIsProven: by wait and by walks, not by one of them.
func TestTreeEmptyIsProven(t *testing.T) {
	c := testns.Start(t, testns.Options{NotPID1: true}, testns.Self("unproven")...)
	c.Wait(t)
	c.WaitFor(t, "its answer", func() bool { return strings.Count(c.Stdout(), "\n") == 2 })
	if c.Stdout() != "false\nfalse\n" {
		t.Error(c.Stdout())
	}
}

// empty PIDFD POLITE HARD PROGRAM... becomes a subreaper, starts a program, waits for its
// "ready" and then for a line on standard input, and empties the tree below itself. It
// prints the number of its child, and the report.
func empty(args []string) int {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return complain(err)
	}
	fs, err := proc.Open()
	if err != nil {
		return complain(err)
	}
	cmd := exec.Command(args[3], args[4:]...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return complain(err)
	}
	if err := cmd.Start(); err != nil {
		return complain(err)
	}
	bufio.NewReader(out).ReadString('\n')
	fmt.Println(cmd.Process.Pid)
	bufio.NewReader(os.Stdin).ReadString('\n')
	polite, errPolite := time.ParseDuration(args[1])
	hard, errHard := time.ParseDuration(args[2])
	if err := errors.Join(errPolite, errHard); err != nil {
		return complain(err)
	}
	tree := NewTree(os.Getpid(), fs, NewFence(fs, args[0] == "pidfd"))
	r := climbNow(NewLadder(tree, polite, hard, time.Now()))
	fmt.Printf("contained %v unknown %d refused %d survivors %d\n", r.Contained, r.Unknown, r.Refused, len(r.Survivors))
	for _, s := range r.Survivors {
		fmt.Printf("%d %c\n", s.PID, s.State)
	}
	fmt.Printf("killed %d in %d passes, %v\n", r.Killed, r.Passes, r.Took)
	return 0
}

// climbNow is what an owner does: step when due, and reap.
func climbNow(l *Ladder) Report {
	for {
		l.Step(time.Now())
		if l.Done() {
			return l.Report()
		}
		for {
			if pid, err := unix.Wait4(-1, nil, unix.WNOHANG|unix.WALL, nil); pid <= 0 && err != unix.EINTR {
				break
			}
		}
		time.Sleep(time.Until(l.Due()))
	}
}

// startEmptying starts such a program, not as PID 1, and returns when its tree is
// there.
func startEmptying(t *testing.T, args ...string) (c *testns.Container, child int) {
	t.Helper()
	o := testns.Options{NotPID1: true, Stdin: testns.Pipe}
	c = testns.Start(t, o, testns.Self("empty", args...)...)
	c.WaitFor(t, "the tree", func() bool { return strings.Contains(c.Stdout(), "\n") })
	child, err := strconv.Atoi(strings.TrimSpace(c.Stdout()))
	if err != nil {
		t.Fatal(err)
	}
	return c, child
}

func report(t *testing.T, c *testns.Container) string {
	t.Helper()
	fmt.Fprintln(c.Input())
	if s := c.Wait(t); s != (testns.Status{}) {
		t.Fatalf("ended with %v: %s", s, c.Stderr())
	}
	c.WaitFor(t, "the report", func() bool { return strings.Contains(c.Stdout(), "\nkilled ") })
	_, rest, _ := strings.Cut(c.Stdout(), "\n")
	return rest
}

const contained = "contained true unknown 0 refused 0 survivors 0\n"

// TestTree empties trees of every shape, beside a stranger who has to live on.
func TestTree(t *testing.T) {
	tool := testns.Tool(t)
	for _, c := range []struct {
		name, pidfd, polite string
		program             []string
		killed              string // how many, where that is certain
	}{
		{"one", "pidfd", "10s", []string{"sleep"}, "0"},
		{"stopped", "pidfd", "10s", []string{"stop"}, "0"},
		{"ignores TERM and HUP", "pidfd", "50ms", []string{"ignore", "15", "1"}, "1"},
		{"daemon", "pidfd", "10s", []string{"subreaper", tool, "daemon"}, "0"},
		{"chain", "pidfd", "0s", []string{"chain", "300"}, "300"},
		{"chain, politely", "pidfd", "10s", []string{"chain", "200"}, "0"},
		{"chain without pidfds", "number", "0s", []string{"chain", "50"}, "50"},
		{"500 wide", "pidfd", "0s", []string{"wide", "500"}, "501"},
		{"zombies", "pidfd", "0s", []string{"zombies", "50"}, "1"},
		{"respawner", "pidfd", "20ms", []string{"respawn", "100000"}, ""},
		{"watchdogs", "pidfd", "20ms", []string{"watchdogs", "100000"}, ""},
		{"comets", "pidfd", "0s", []string{"comets", "8", "4000"}, ""}, // leaves the stranger a number
		{"zombie leader", "pidfd", "0s", []string{"zombie-leader", "3"}, "4"},
		{"siblings", "pidfd", "0s", []string{"siblings", "5"}, "6"},
		{"vfork parent", "pidfd", "0s", []string{"vfork"}, "2"},
		{"inner subreaper", "pidfd", "0s", []string{"subreaper", tool, "wide", "20"}, "22"},
		{"odd name", "pidfd", "0s", []string{"name", ") Z 1"}, "1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, _ := startEmptying(t, append([]string{c.pidfd, c.polite, "30s", tool}, c.program...)...)
			stranger := p.Exec(t, tool, "sleep").Process(t)
			got := report(t, p)
			if !strings.HasPrefix(got, contained) {
				t.Error(got)
			}
			if left := p.Find("sleep"); len(left) != 1 || left[0].PID != stranger.PID {
				t.Errorf("the stranger is gone: %v", left)
			}
			if c.killed != "" && !strings.HasPrefix(got, contained+"killed "+c.killed+" ") {
				t.Errorf("%swant %s killed", got, c.killed)
			}
		})
	}
}

// TestTreeHeldByTracer: a zombie whose tracer does not wait for it cannot be reaped,
// and is not called contained.
func TestTreeHeldByTracer(t *testing.T) {
	tool := testns.Tool(t)
	c, child := startEmptying(t, "pidfd", "0s", "200ms", tool, "sleep")
	tracer := c.Exec(t, tool, "trace", strconv.Itoa(child)).Process(t)
	c.WaitFor(t, "the tracer", func() bool { return traced(t, c, child) != 0 })
	want := fmt.Sprintf("contained false unknown 0 refused 0 survivors 1\n%d Z\n", child)
	if got := report(t, c); !strings.HasPrefix(got, want) {
		t.Errorf("%swant %s", got, want)
	}
	if left := c.Find("trace"); len(left) != 1 || left[0].PID != tracer.PID {
		t.Errorf("the tracer is gone: %v", left)
	}
}

// traced is the host's number of the tracer of a process of the namespace; 0 if none.
func traced(t *testing.T, c *testns.Container, pid int) (tracer int) {
	t.Helper()
	for _, p := range c.Processes() {
		if p.PID != pid {
			continue
		}
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.HostPID))
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(status), "\nTracerPid:\t")
		fmt.Sscan(rest, &tracer)
	}
	return tracer
}

// TestTreeWithoutProc: nobody can be told from a stranger, and nobody is signalled.
func TestTreeWithoutProc(t *testing.T) {
	tree := NewTree(os.Getpid(), nil, nil)
	if tally := tree.Tell(unix.SIGKILL); tally.Signalled != 0 || tally.Unknown == 0 {
		t.Errorf("%+v", tally)
	}
	if left := tree.Survivors(); left != nil {
		t.Errorf("%v", left)
	}
}
