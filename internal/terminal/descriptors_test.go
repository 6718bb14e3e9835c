package terminal_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/sbinit/sbinit/internal/terminal/wire"
	"github.com/sbinit/sbinit/internal/testns"
)

// leads is where a descriptor of a process leads to.
func leads(t *testing.T, p testns.Process, fd int) string {
	t.Helper()
	to, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", p.HostPID, fd))
	if err != nil {
		t.Fatal(err)
	}
	return to
}

// TestFrontHoldsNothing: the caller's pipes are the worker's alone, or the end of one
// would not be seen at its other end.
func TestFrontHoldsNothing(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		s := open(t, o, nil, stays...)
		s.shows("ready")
		for fd := range 2 {
			if to := leads(t, s.front(), fd); to != "/dev/null" {
				t.Errorf("the front's descriptor %d leads to %s", fd, to)
			}
		}
		for fd := range 3 {
			if to := leads(t, s.One("sleep"), fd); !strings.HasPrefix(to, "/dev/pts/") {
				t.Errorf("the program's descriptor %d leads to %s", fd, to)
			}
		}
		s.send(wire.Close{})
		s.ends(wire.ReasonClosed, 0)
	})
}

// TestReaderGone: the caller closes its end of the output, and nothing of the session's is
// on its way there: the session ends all the same.
func TestReaderGone(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		o.Stdin, o.NotPID1 = testns.Pipe, true
		script := `"$0" terminal | head -n 1; exit ${PIPESTATUS[0]}`
		s := &session{t: t, Container: testns.Start(t, o, testns.Yard(t, "bash", "-c", script, testns.Build(t))...)}
		s.send(wire.Open{Cols: 80, Rows: 24, Argv: []string{"sleep", "1000"}})
		message[wire.Ready](s)
		s.gone(1)
	})
}
