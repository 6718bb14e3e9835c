package contain

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/sbinit/sbinit/internal/proc"
	"github.com/sbinit/sbinit/internal/testns"
)

func init() { testns.Register("sweep", sweep) }

// sweep PROGRAM... starts a program as PID 1, waits for its "ready" and for a line on
// standard input, and ends everybody in the namespace. It prints the report.
func sweep(args []string) int {
	fs, err := proc.Open()
	if err != nil {
		return complain(err)
	}
	cmd := exec.Command(args[0], args[1:]...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return complain(err)
	}
	if err := cmd.Start(); err != nil {
		return complain(err)
	}
	lines := bufio.NewReader(out)
	lines.ReadString('\n')
	fmt.Println("ready")
	bufio.NewReader(os.Stdin).ReadString('\n')
	who := &Namespace{FS: fs}
	before := len(who.Survivors())
	r := climbNow(NewLadder(who, 200*time.Millisecond, 10*time.Second, time.Now()))
	fmt.Println("before", before, "contained", r.Contained, "after", len(who.Survivors()))
	for line, err := lines.ReadString('\n'); err == nil; line, err = lines.ReadString('\n') {
		fmt.Print(line)
	}
	return 0
}

// startSweeping returns when the program is there, and one that came from outside, as
// docker exec brings it.
func startSweeping(t *testing.T, o testns.Options, program ...string) *testns.Container {
	t.Helper()
	o.Stdin = testns.Pipe
	c := testns.Start(t, o, testns.Self("sweep", program...)...)
	c.WaitFor(t, "ready", func() bool { return c.Stdout() == "ready\n" })
	c.Exec(t, testns.Tool(t), "ignore", "15").Process(t)
	return c
}

// TestNamespace: everybody goes, whoever the parent is; a handler is interrupted by
// SIGTERM once.
func TestNamespace(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		c := startSweeping(t, o, testns.Tool(t), "record")
		fmt.Fprintln(c.Input())
		c.Wait(t)
		const want = "ready\nbefore 2 contained true after 0\nsignal 18 code 0 value 0\nsignal 15 code 0 value 0\n"
		if got := c.Stdout(); got != want && got != swapped(want) {
			t.Errorf("%s%swant %s", got, c.Stderr(), want)
		}
	})
}

// swapped has the last two lines in the other order: the kernel keeps none between
// signals of different numbers.
func swapped(s string) string {
	l := strings.SplitAfter(s, "\n")
	return l[0] + l[1] + l[3] + l[2]
}

func TestNamespaceWide(t *testing.T) {
	c := startSweeping(t, testns.Options{}, testns.Tool(t), "wide", "100")
	fmt.Fprintln(c.Input())
	c.Wait(t)
	if want := fmt.Sprintf("ready\nbefore %d contained true after 0\n", survivorsNamed); c.Stdout() != want {
		t.Errorf("%swant %s", c.Stdout(), want)
	}
}

// TestNamespaceWithoutProc: what is left has no names then, but goes all the same.
func TestNamespaceWithoutProc(t *testing.T) {
	if left := (&Namespace{}).Survivors(); left != nil {
		t.Errorf("%v", left)
	}
}
