package pid1_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/testns"
)

// with adds variables to the quick ones.
func with(env ...string) []string { return append(slices.Clone(quick), env...) }

// orphaned is a script which leaves each command to PID 1, and becomes the recorder.
func orphaned(t *testing.T, commands ...string) []string {
	t.Helper()
	var s strings.Builder
	for _, command := range commands {
		fmt.Fprintf(&s, "(%s </dev/null >/dev/null 2>&1 &)\n", command)
	}
	return script("%sexec %s record", s.String(), testns.Tool(t))
}

// TestOrphansPolicies has an orphan in good order under each.
func TestOrphansPolicies(t *testing.T) {
	eachRole(t, func(t *testing.T, o testns.Options) {
		for _, policy := range []string{"abandoned", "terminate", "report", "keep"} {
			argv := orphaned(t, testns.As(t, "server", testns.Tool(t))+" mute")
			c := sbinit(t, o, with("SBINIT_ORPHANS="+policy), argv...)
			ready(t, c)
			switch policy {
			case "terminate":
				gone(t, c, "server")
				said(t, c, `warn: orphan terminated.*"name": "server".*SBINIT_KEEP=1`)
			case "report":
				said(t, c, `warn: orphan would be terminated under SBINIT_ORPHANS=terminate.*"name": "server"`)
				c.One("server")
			default:
				// As long as a terminated one would have needed, several times.
				time.Sleep(2 * time.Second)
				c.One("server")
				if c.Stderr() != "" {
					t.Errorf("%s: said %q", policy, c.Stderr())
				}
			}
			finish(t, c)
		}
	})
}

// TestOrphansKept: names and SBINIT_KEEP=1 exempt under the strictest policy.
func TestOrphansKept(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		tool := testns.Tool(t)
		for _, c := range []struct {
			keep        string
			stays, goes []string
		}{
			{"", []string{"tmux: server", "ssh-agent", "screen", "opted", "kept"}, []string{"other"}},
			{"SBINIT_ORPHAN_KEEP=+oth*", []string{"ssh-agent", "other", "opted"}, []string{"node"}},
			{"SBINIT_ORPHAN_KEEP=other", []string{"other", "opted"}, []string{"ssh-agent"}},
		} {
			var commands []string
			for _, name := range slices.Concat(c.stays, c.goes) {
				command := "'" + testns.As(t, name, tool) + "' mute"
				switch name {
				case "opted":
					command = "SBINIT_KEEP=1 " + command
				case "kept":
					command = testns.Build(t) + " keep -- " + command
				}
				commands = append(commands, command)
			}
			env := with("SBINIT_ORPHANS=terminate")
			if c.keep != "" {
				env = append(env, c.keep)
			}
			container := sbinit(t, o, env, orphaned(t, commands...)...)
			ready(t, container)
			for _, name := range c.goes {
				gone(t, container, name)
			}
			time.Sleep(time.Second) // several times the grace, for who might be ended wrongly
			for _, name := range c.stays {
				if len(container.Find(name)) != 1 {
					t.Errorf("%s: %s was ended:\n%s", c.keep, name, container.Stderr())
				}
			}
			finish(t, container)
		}
	})
}

// TestOrphansKeepInSubtree: one who is kept is not ended with who started it.
func TestOrphansKeepInSubtree(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		tool := testns.Tool(t)
		inner := fmt.Sprintf("sh -c 'SBINIT_KEEP=1 %s mute & %s mute & wait'", testns.As(t, "opted", tool), testns.As(t, "other", tool))
		c := sbinit(t, o, with("SBINIT_ORPHANS=terminate"), orphaned(t, inner)...)
		ready(t, c)
		gone(t, c, "other")
		gone(t, c, "sh")
		time.Sleep(time.Second)
		if p := c.One("opted"); p.PPID != 1 {
			t.Errorf("%v", p)
		}
		finish(t, c)
	})
}

// TestOrphansLadder: SIGTERM lets a handler run, also in a process that is stopped;
// SIGKILL comes after SBINIT_KILL_GRACE, not before.
func TestOrphansLadder(t *testing.T) {
	eachRole(t, func(t *testing.T, o testns.Options) {
		tool := testns.Tool(t)
		file, other := filepath.Join(testns.Dir(t), "clean"), filepath.Join(testns.Dir(t), "clean")
		env := []string{"SBINIT_ORPHANS=terminate", "SBINIT_ORPHAN_GRACE=100ms", "SBINIT_KILL_GRACE=2s", "SBINIT_SCAN_INTERVAL=100ms"}
		stopped := fmt.Sprintf("sh -c 'trap \"echo clean > %s; exit\" TERM; kill -STOP $$; while :; do sleep 1; done'", other)
		c := sbinit(t, o, env, orphaned(t,
			testns.As(t, "deaf", tool)+" ignore 15",
			testns.As(t, "clean", tool)+" cleanup 500 "+file,
			stopped)...)
		ready(t, c)
		died := c.Watch(t, c.One("deaf"))
		said(t, c, `orphan terminated.*"name": "deaf"`)
		termed := time.Now()
		gone(t, c, "clean")
		gone(t, c, "sh")
		for _, f := range []string{file, other} {
			if text, err := os.ReadFile(f); err != nil || string(text) != "clean\n" {
				t.Errorf("the handler did not finish: %q, %v", text, err)
			}
		}
		if took := (<-died).Sub(termed); took < 1500*time.Millisecond || took > 20*time.Second {
			t.Errorf("SIGKILL %v after SIGTERM", took)
		}
		finish(t, c)
	})
}

// TestOrphansGenerations: what the members of an ending start, or leave behind, during
// it goes as well.
func TestOrphansGenerations(t *testing.T) {
	eachRole(t, func(t *testing.T, o testns.Options) {
		tool := testns.Tool(t)
		heir := testns.As(t, "heir", tool)
		inner := fmt.Sprintf("sh -c 'trap \"%[1]s mute & setsid %[1]s ignore 15 & exit\" TERM; %[2]s ignore 15 & while :; do sleep 0.05; done'",
			heir, testns.As(t, "deaf", tool))
		c := sbinit(t, o, with("SBINIT_ORPHANS=terminate"), orphaned(t, inner)...)
		ready(t, c)
		c.One("deaf")
		gone(t, c, "sh")
		gone(t, c, "deaf")
		gone(t, c, "heir")
		finish(t, c)
	})
}

// TestOrphansHostile: the strict policy against who does not want to go. Their number
// is not bounded by the test for the first ones, so only the ladder ends them.
func TestOrphansHostile(t *testing.T) {
	eachRole(t, func(t *testing.T, o testns.Options) {
		for _, mode := range []string{
			"chain 300", "wide 300", "respawn 100000", "watchdogs 100000", "zombie-leader 2", "siblings 5", "vfork",
			"daemon", "name ') Z 1'", "stop", "leave 50", "comets 2 3000",
		} {
			name, _, _ := strings.Cut(mode, " ")
			t.Run(name, func(t *testing.T) {
				c := sbinit(t, o, with("SBINIT_ORPHANS=terminate"), orphaned(t, testns.As(t, "hostile", testns.Tool(t))+" "+mode)...)
				ready(t, c)
				gone(t, c, "hostile")
				c.WaitFor(t, "nobody but the main program", func() bool {
					return len(c.Processes()) == map[bool]int{false: 2, true: 3}[o.NotPID1]
				})
				finish(t, c)
			})
		}
	})
}

// TestOrphansOfExec: what docker exec runs is no orphan; what that leaves behind is.
func TestOrphansOfExec(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		tool := testns.Tool(t)
		c := sbinit(t, o, with("SBINIT_ORPHANS=terminate"), tool, "record")
		ready(t, c)
		c.Exec(t, testns.As(t, "visitor", tool), "mute")
		c.One("visitor")
		status, out := c.Exec(t, "sh", "-c", testns.As(t, "leftover", tool)+" mute </dev/null >/dev/null 2>&1 &").Wait(t)
		if status != (testns.Status{}) {
			t.Fatalf("%v: %s", status, out)
		}
		said(t, c, `orphan terminated.*"name": "leftover"`)
		gone(t, c, "leftover")
		time.Sleep(time.Second)
		if p := c.One("visitor"); p.PPID != 0 {
			t.Errorf("%v", p)
		}
		finish(t, c)
	})
}

// TestOrphansPidWrap gives out the numbers of processes again and again.
func TestOrphansPidWrap(t *testing.T) {
	testns.RequirePidMax(t)
	each(t, func(t *testing.T, o testns.Options) {
		o.PidMax = 400
		tool := testns.Tool(t)
		c := sbinit(t, o, with("SBINIT_ORPHANS=terminate"), tool, "record")
		ready(t, c)
		server := testns.As(t, "server", tool)
		for range 5 {
			c.Exec(t, "sh", "-c", fmt.Sprintf("i=0; while [ $i -lt 150 ]; do /bin/true; i=$((i+1)); done; %s mute </dev/null >/dev/null 2>&1 &", server)).Wait(t)
			gone(t, c, "server")
		}
		healthy(t, c)
		finish(t, c)
	})
}

// TestOrphansWaitAll: a main program that forks and exits.
func TestOrphansWaitAll(t *testing.T) {
	eachRole(t, func(t *testing.T, o testns.Options) {
		c := sbinit(t, o, []string{"SBINIT_WAIT=all"}, script("%s mute & exit 3", testns.As(t, "server", testns.Tool(t)))...)
		server := c.One("server")
		c.WaitFor(t, "the main program's end", func() bool { return len(c.Find("sh")) == 0 })
		c.Signal(unix.SIGWINCH)
		c.Kill(server, unix.SIGKILL)
		ends(t, c, 3)
	})
}
