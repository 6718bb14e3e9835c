package contain

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
	"pgregory.net/rapid"

	"github.com/sbinit/sbinit/internal/inherit"
	"github.com/sbinit/sbinit/internal/proc"
	"github.com/sbinit/sbinit/internal/testns"
)

// A fate is what becomes of one tree.
type fate struct {
	Argv   []string
	Polite time.Duration
}

// An outcome is how it came out, by the engine's word and by another look.
type outcome struct {
	Error     string
	Report    Report
	Left      []string
	Strangers int
}

func init() { testns.Register("forest", forest) }

// forest is a subreaper in a yard: it grows a tree for each line that it reads, ends
// it, and prints the outcome.
func forest([]string) int {
	inherit.ReserveThreads(12) // for when there are no processes left; package os wants more than an owner has
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return complain(err)
	}
	fs, err := proc.Open()
	if err != nil {
		return complain(err)
	}
	lines, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var f fate
		if err := lines.Decode(&f); err != nil {
			return complain(err)
		}
		var o outcome
		if err := f.befall(fs, &o); err != nil {
			o.Error = err.Error()
		}
		out.Encode(o)
	}
}

// befall waits for nobody by way of package os: who is waited for by number is not
// there to be found.
func (f fate) befall(fs *proc.FS, o *outcome) error {
	if err := start(f.Argv); err != nil {
		return err
	}
	tree := NewTree(os.Getpid(), fs, NewFence(fs, true))
	o.Report = climbNow(NewLadder(tree, f.Polite, 10*time.Second, time.Now()))
	var err error
	o.Left, o.Strangers, err = testns.InYard()
	return err
}

// start returns when the program has said that it is ready.
func start(argv []string) error {
	path, err := exec.LookPath(argv[0])
	if err != nil {
		return err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	defer r.Close()
	_, err = syscall.ForkExec(path, argv, &syscall.ProcAttr{Files: []uintptr{0, w.Fd(), 2}})
	w.Close()
	if err != nil {
		return err
	}
	said := make([]byte, len("ready\n"))
	if _, err := io.ReadFull(r, said); err != nil {
		return errors.Join(errors.New("the program is not ready"), err)
	}
	return nil
}

// A forester talks to a forest.
type forester struct {
	*testns.Container
	asked int
}

func startForest(t *testing.T, o testns.Options) *forester {
	t.Helper()
	o.NotPID1, o.Stdin = true, testns.Pipe
	return &forester{Container: testns.Start(t, o, testns.Yard(t, testns.Self("forest")...)...)}
}

// ends grows a tree, has it ended, and returns how that came out.
func (f *forester) ends(one fate) (o outcome, err error) {
	if err := json.NewEncoder(f.Input()).Encode(one); err != nil {
		return o, err
	}
	f.asked++
	for deadline := time.Now().Add(testns.WaitLimit); ; time.Sleep(time.Millisecond) {
		lines := strings.Split(f.Stdout(), "\n")
		if len(lines) > f.asked {
			return o, json.Unmarshal([]byte(lines[f.asked-1]), &o)
		}
		if !f.Running() || time.Now().After(deadline) {
			return o, fmt.Errorf("no outcome after %v\n%s", testns.WaitLimit, f.Dump())
		}
	}
}

// wrong says what is, if anything: nobody may be left, and no stranger harmed.
func (o outcome) wrong() string {
	switch {
	case o.Error != "":
		return o.Error
	case o.Strangers != 2:
		return fmt.Sprintf("%d strangers are unharmed, want 2", o.Strangers)
	case !o.Report.Contained:
		return fmt.Sprintf("not contained: %+v", o.Report)
	case len(o.Left) > 0:
		return fmt.Sprintf("said to be contained, but left are\n%s", strings.Join(o.Left, "\n"))
	}
	return ""
}

// TestRandomTrees: whatever the tree looks like, nobody is left of it, with many
// process numbers and with few. The seed is printed when one fails, and is the
// argument of -rapid.seed.
func TestRandomTrees(t *testing.T) {
	testns.RequirePidMax(t)
	testns.RandomTrees(t, 200)
	for _, numbers := range []int{0, 400} {
		t.Run(fmt.Sprintf("pid_max %d", numbers), func(t *testing.T) {
			f := startForest(t, testns.Options{PidMax: numbers})
			f.endsRandomTrees(t)
			f.StrangersUnharmed(t)
		})
	}
}

func (f *forester) endsRandomTrees(t *testing.T) {
	hostile := testns.Hostile(t)
	drawn, passes := map[rune]int{}, 0
	rapid.Check(t, func(t *rapid.T) {
		one := fate{Argv: []string{hostile, "tree", testns.RandomTree(t)}}
		one.Polite = time.Duration(rapid.SampledFrom([]int{0, 0, 0, 3, 20}).Draw(t, "polite")) * time.Millisecond
		o, err := f.ends(one)
		if err != nil {
			t.Fatalf("%s: %v", one.Argv[2], err)
		}
		if what := o.wrong(); what != "" {
			t.Fatalf("%s: %s", one.Argv[2], what)
		}
		for _, c := range one.Argv[2] {
			drawn[c]++
		}
		passes += o.Report.Passes
	})
	t.Logf("%d trees of %d processes, %d passes", f.asked, drawn['('], passes)
	for _, c := range "sdpbinzetrcf" {
		t.Logf("%c in %d of them", c, drawn[c])
		if drawn[c] == 0 {
			t.Errorf("no process was of the kind %q", c)
		}
	}
}
