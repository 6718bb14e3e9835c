package pid1_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/sbinit/sbinit/internal/testns"
)

// residentFile is how much of the program's file is in memory, in kB (RssFile in
// proc_pid_status(5)).
func residentFile(t *testing.T, c *testns.Container) (size int) {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.PID()))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), "\nRssFile:")
	if n, err := fmt.Sscan(rest, &size); n != 1 {
		t.Fatal(err)
	}
	return size
}

// TestMemoryGivenBack: what only the start needed does not stay in memory, nor what the
// end of an orphan did.
func TestMemoryGivenBack(t *testing.T) {
	t.Parallel()
	const much = 500 // kB
	tool := testns.Tool(t)
	c := sbinit(t, testns.Options{Stdin: testns.Pipe}, with("SBINIT_ORPHANS=terminate"), script(
		"echo ready; read go; (%s mute </dev/null >/dev/null 2>&1 &) ; exec %s record", testns.As(t, "server", tool), tool)...)
	peak := 0
	until := func(what string, reached func(size int) bool) {
		t.Helper()
		c.WaitFor(t, what, func() bool {
			size := residentFile(t, c)
			peak = max(peak, size)
			return reached(size)
		})
	}
	falls := func(size int) bool { return size < peak-much }
	until("the main program", func(int) bool { return strings.HasPrefix(c.Stdout(), "ready\n") })
	until("memory given back after the start", falls)
	peak = 0
	fmt.Fprintln(c.Input(), "go")
	until("an orphan's end", func(int) bool { return strings.Contains(c.Stderr(), "orphan terminated") })
	until("memory given back after that", falls)
	finish(t, c)
}
