package guard_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
	"pgregory.net/rapid"

	"github.com/sbinit/sbinit/internal/testns"
)

// A fate is what becomes of one guard.
type fate struct {
	Argv, Env []string
	Victim    string // daemon, front or keeper
	Signal    unix.Signal
}

// An outcome is who is left when all should have ended.
type outcome struct {
	Error     string
	Left      []string
	Strangers int
}

func init() { testns.Register("rounds", rounds) }

// rounds runs a guard in a yard for each line that it reads, ends it, and prints the
// outcome.
func rounds([]string) int {
	lines, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var f fate
		if err := lines.Decode(&f); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 125
		}
		var o outcome
		if err := f.befall(&o); err != nil {
			o.Error = err.Error()
		}
		out.Encode(o)
	}
}

func (f fate) befall(o *outcome) error {
	front, err := f.start()
	if err != nil {
		return err
	}
	victim, err := find(f.Victim, front)
	if err != nil {
		return err
	}
	if err := unix.Kill(victim, f.Signal); err != nil {
		return err
	}
	for deadline := time.Now().Add(endLimit); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		unix.Wait4(-1, nil, unix.WNOHANG, nil)
		if o.Left, o.Strangers, err = testns.InYard(); err != nil || len(o.Left) == 0 {
			return err
		}
	}
	return nil
}

// start returns when the guard's program has said that it is ready.
func (f fate) start() (front int, err error) {
	r, w, err := os.Pipe()
	if err != nil {
		return 0, err
	}
	defer r.Close()
	front, err = syscall.ForkExec(f.Argv[0], f.Argv, &syscall.ProcAttr{Files: []uintptr{0, w.Fd(), 2}, Env: f.Env})
	w.Close()
	if err != nil {
		return 0, err
	}
	said := make([]byte, len("ready\n"))
	if _, err := io.ReadFull(r, said); err != nil {
		return 0, errors.Join(errors.New("the program is not ready"), err)
	}
	return front, nil
}

// find returns the number of one of the three. The daemon leads a process group in the
// session of the keeper; what its tree has left to the keeper does not.
func find(who string, front int) (int, error) {
	if who == "front" {
		return front, nil
	}
	all, _, err := testns.InYard()
	if err != nil {
		return 0, err
	}
	keeper := 0
	for _, line := range all {
		if pid, ppid, _, _ := ids(line); ppid == front {
			keeper = pid
		}
	}
	if who == "keeper" && keeper != 0 {
		return keeper, nil
	}
	for _, line := range all {
		if pid, ppid, pgid, sid := ids(line); ppid == keeper && pgid == pid && sid != pid {
			return pid, nil
		}
	}
	return 0, fmt.Errorf("no %s among\n%s", who, strings.Join(all, "\n"))
}

// ids are fields 1, 4, 5 and 6 of proc_pid_stat(5).
func ids(line string) (pid, ppid, pgid, sid int) {
	pid, _ = strconv.Atoi(line[:strings.IndexByte(line, ' ')])
	fmt.Sscanf(line[strings.LastIndexByte(line, ')')+1:], " %1s %d %d %d", new(string), &ppid, &pgid, &sid)
	return pid, ppid, pgid, sid
}

// TestRandomTrees: whatever a daemon has started, and whatever ends, nobody is left.
// The seed is printed when somebody is, and is the argument of -rapid.seed.
func TestRandomTrees(t *testing.T) {
	testns.RequireNS(t)
	testns.RandomTrees(t, 150)
	sbinit, hostile := testns.Build(t), testns.Hostile(t)
	c := testns.Start(t, testns.Options{NotPID1: true, Stdin: testns.Pipe}, testns.Yard(t, testns.Self("rounds")...)...)
	asked := 0
	rapid.Check(t, func(t *rapid.T) {
		f := fate{
			Argv:   []string{sbinit, "guard", "--", hostile, "tree", testns.RandomTree(t)},
			Env:    testns.Environ("SBINIT_KILL_GRACE=" + rapid.SampledFrom([]string{"0", "0", "20ms"}).Draw(t, "grace")),
			Victim: rapid.SampledFrom([]string{"daemon", "front", "keeper"}).Draw(t, "victim"),
			Signal: unix.SIGKILL,
		}
		if f.Victim == "keeper" {
			f.Signal = rapid.SampledFrom([]unix.Signal{unix.SIGKILL, unix.SIGTERM}).Draw(t, "signal")
		}
		asked++
		o, err := ask(c, f, asked)
		if err != nil {
			t.Fatalf("%+v: %v", f, err)
		}
		if o.Error != "" || len(o.Left) > 0 || o.Strangers != 2 {
			t.Fatalf("%+v: %s, %d strangers unharmed, left are\n%s", f, o.Error, o.Strangers, strings.Join(o.Left, "\n"))
		}
	})
	c.StrangersUnharmed(t)
	if c.Stderr() != "" {
		t.Errorf("said: %s", c.Stderr())
	}
}

// ask returns the outcome of round n.
func ask(c *testns.Container, f fate, n int) (o outcome, err error) {
	if err := json.NewEncoder(c.Input()).Encode(f); err != nil {
		return o, err
	}
	for deadline := time.Now().Add(testns.WaitLimit); c.Running() && time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if lines := strings.Split(c.Stdout(), "\n"); len(lines) > n {
			return o, json.Unmarshal([]byte(lines[n-1]), &o)
		}
	}
	return o, fmt.Errorf("no outcome\n%s", c.Dump())
}
