package pid1_test

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/testns"
)

func zombies(c *testns.Container) []testns.Process {
	return slices.DeleteFunc(c.Processes(), testns.Process.Alive)
}

// TestReapAll: whoever ends without a parent is reaped, also many at once.
func TestReapAll(t *testing.T) {
	eachRole(t, func(t *testing.T, o testns.Options) {
		c := sbinit(t, o, []string{"SBINIT_ORPHANS=keep"}, script("%[1]s litter 500; exec %[1]s record", testns.Tool(t))...)
		c.WaitFor(t, "the recorder", func() bool { return strings.Count(c.Stdout(), "ready\n") == 2 })
		c.WaitFor(t, "no zombie", func() bool { return len(zombies(c)) == 0 })
		if o.NotPID1 && len(c.Reaped()) != 0 {
			t.Errorf("%d zombies went past the subreaper to PID 1", len(c.Reaped()))
		}
		healthy(t, c)
		finish(t, c)
	})
}

// TestReapOthersZombies: a zombie whose parent lives is the parent's business; when
// the parent ends, it is ours.
func TestReapOthersZombies(t *testing.T) {
	eachRole(t, func(t *testing.T, o testns.Options) {
		c := sbinit(t, o, nil, script("%[1]s zombies 50 & exec %[1]s record", testns.Tool(t))...)
		c.WaitFor(t, "50 zombies", func() bool { return len(zombies(c)) == 50 && strings.Count(c.Stdout(), "ready\n") == 2 })
		healthy(t, c)
		if n := len(zombies(c)); n != 50 {
			t.Errorf("%d zombies of a living parent", n)
		}
		parent := c.One("zombies")
		c.Kill(parent, unix.SIGKILL)
		// The parent's own zombie is the main program's, which never waits.
		c.WaitFor(t, "49 of 50 reaped", func() bool { return len(zombies(c)) == 1 })
		finish(t, c)
	})
}

// TestReapKeepsStatus: the main program's status is not lost in a storm of others.
func TestReapKeepsStatus(t *testing.T) {
	eachRole(t, func(t *testing.T, o testns.Options) {
		for range 10 {
			c := sbinit(t, o, nil, script("%[1]s litter 100; %[1]s comets 4 400; exit 7", testns.Tool(t))...)
			c.WaitFor(t, "comets", func() bool { return strings.Count(c.Stdout(), "ready\n") == 2 })
			c.Kill(c.Find("comets")[0], unix.SIGKILL) // the one which the script waits for
			ends(t, c, 7)
		}
	})
}

// TestReapWarns: tini's -w.
func TestReapWarns(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		c := sbinitWith(t, o, nil, []string{"-w"}, script("%[1]s litter 3; exec %[1]s record", testns.Tool(t))...)
		c.WaitFor(t, "litter and the recorder", func() bool { return strings.Count(c.Stdout(), "ready\n") == 2 })
		c.WaitFor(t, "three lines", func() bool { return strings.Count(c.Stderr(), "reaped zombie") == 3 })
		finish(t, c)
	})
}
