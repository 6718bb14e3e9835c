package proc

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/sbinit/sbinit/internal/testns"
)

func init() { testns.Register("count-below", countBelow) }

// countBelow MODE...: how many are below a program, by their lists and by a walk, and below
// a process that has ended. It counts once all of them have come to rest.
func countBelow(args []string) int {
	cmd := exec.Command(args[0], args[1:]...)
	if err := startReady(cmd); err != nil {
		return complain(err)
	}
	fs, err := Open()
	if err != nil {
		return complain(err)
	}
	lists, err := fs.CountBelow(cmd.Process.Pid)
	if err != nil {
		return complain(err)
	}
	var snap Snapshot
	if err := snap.Take(fs); err != nil {
		return complain(err)
	}
	walked := 0
	snap.Descendants(cmd.Process.Pid, func(*Stat) { walked++ })
	allocs := testing.AllocsPerRun(5, func() { _, err = fs.CountBelow(os.Getpid()) })
	_, ended := fs.CountBelow(1 << 21)
	fmt.Printf("%d by lists, %d by a walk, then %v allocations, error %v, of nobody %v\n", lists, walked, allocs, err, ended)
	return 0
}

// TestCountBelow: wide, deep, children of a thread, the dead, and those below a leader that
// has ended before its threads.
func TestCountBelow(t *testing.T) {
	tool := testns.Tool(t)
	testns.Each(t, func(t *testing.T, o testns.Options) {
		for want, argv := range map[int][]string{
			500: {tool, "wide", "500"},
			200: {tool, "chain", "201"},
			7:   {tool, "zombies", "7"},
			5:   {tool, "zombie-leader", "5"},
			0:   {tool, "sleep"},
		} {
			c := testns.Start(t, o, testns.Self("count-below", argv...)...)
			c.Wait(t)
			says := fmt.Sprintf("%d by lists, %d by a walk, then 0 allocations, error <nil>, of nobody no such file or directory\n", want, want)
			if got := c.Stdout(); got != says {
				t.Errorf("%s: %q, want %q\n%s", strings.Join(argv[1:], " "), got, says, c.Stderr())
			}
		}
	})
}
