package pid1_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/testns"
)

// background is a script which starts the commands, waits for SIGUSR1 and then ends
// with status 3.
func background(commands ...string) []string {
	var s strings.Builder
	s.WriteString("trap 'exit 3' USR1\n")
	for _, command := range commands {
		fmt.Fprintf(&s, "%s &\n", command)
	}
	return script("%s while :; do sleep 0.02; done", s.String())
}

// endMain ends that script. It has its background jobs in its process group.
func endMain(t *testing.T, c *testns.Container) {
	t.Helper()
	for _, p := range c.Processes() {
		if p.Is("sh") && p.Alive() {
			c.Kill(p, unix.SIGUSR1)
			return
		}
	}
	t.Fatalf("there is no main program:\n%s", c.Dump())
}

func isClean(t *testing.T, files ...string) {
	t.Helper()
	for _, f := range files {
		if text, err := os.ReadFile(f); err != nil || string(text) != "clean\n" {
			t.Errorf("a handler did not finish: %q, %v", text, err)
		}
	}
}

// TestEndCleanup: handlers of what is left run to completion within the grace, in a
// stopped process too; the status is the main program's; nobody waits longer.
func TestEndCleanup(t *testing.T) {
	eachRole(t, func(t *testing.T, o testns.Options) {
		tool, dir := testns.Tool(t), testns.Dir(t)
		one, two, three := filepath.Join(dir, "1"), filepath.Join(dir, "2"), filepath.Join(dir, "3")
		c := sbinit(t, o, []string{"SBINIT_EXIT_GRACE=50s"}, background(
			tool+" cleanup 800 "+one,
			"setsid "+tool+" cleanup 400 "+two,
			fmt.Sprintf(`sh -c 'trap "echo clean > %s; exit" TERM; echo ready; kill -STOP $$; while :; do sleep 1; done'`, three))...)
		c.WaitFor(t, "three jobs", func() bool { return strings.Count(c.Stdout(), "ready\n") == 3 })
		begin := time.Now()
		endMain(t, c)
		ends(t, c, 3)
		if took := time.Since(begin); took > 20*time.Second {
			t.Errorf("ended after %v", took)
		}
		isClean(t, one, two, three)
	})
}

// TestEndAlone: with nobody left there is nothing to wait for.
func TestEndAlone(t *testing.T) {
	eachRole(t, func(t *testing.T, o testns.Options) {
		c := sbinit(t, o, []string{"SBINIT_EXIT_GRACE=50s"}, testns.Tool(t), "record")
		ready(t, c)
		begin := time.Now()
		c.Signal(64)
		ends(t, c, 0)
		if took := time.Since(begin); took > 5*time.Second {
			t.Errorf("ended after %v", took)
		}
	})
}

// TestEndKill: who ignores SIGTERM is killed after the grace.
func TestEndKill(t *testing.T) {
	eachRole(t, func(t *testing.T, o testns.Options) {
		for _, grace := range []time.Duration{0, 700 * time.Millisecond} {
			c := sbinit(t, o, []string{fmt.Sprintf("SBINIT_EXIT_GRACE=%v", grace)}, background(testns.Tool(t)+" ignore 15 1 2")...)
			ready(t, c)
			begin := time.Now()
			endMain(t, c)
			ends(t, c, 3)
			if took := time.Since(begin); took < grace || took > grace+10*time.Second {
				t.Errorf("ended after %v, the grace is %v", took, grace)
			}
		}
	})
}

// TestEndHurry: a stop signal during the grace skips what is left of it.
func TestEndHurry(t *testing.T) {
	eachRole(t, func(t *testing.T, o testns.Options) {
		c := sbinit(t, o, []string{"SBINIT_EXIT_GRACE=50s", "SBINIT_LOG_LEVEL=info"}, background(testns.Tool(t)+" ignore 15 1 2")...)
		ready(t, c)
		begin := time.Now()
		endMain(t, c)
		said(t, c, "main program ended")
		c.Signal(unix.SIGTERM)
		ends(t, c, 3)
		if took := time.Since(begin); took > 20*time.Second {
			t.Errorf("ended after %v", took)
		}
	})
}

// TestEndExecLeftover: docker exec's processes and what they left have no parent here,
// and are asked to end as well.
func TestEndExecLeftover(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		tool, dir := testns.Tool(t), testns.Dir(t)
		one, two := filepath.Join(dir, "1"), filepath.Join(dir, "2")
		c := sbinit(t, o, nil, tool, "record")
		ready(t, c)
		c.Exec(t, testns.As(t, "visitor", tool), "cleanup", "500", one)
		c.Exec(t, "sh", "-c", testns.As(t, "leftover", tool)+" cleanup 500 "+two+" &").Wait(t)
		c.One("visitor")
		c.One("leftover")
		time.Sleep(200 * time.Millisecond) // until their handlers are in place
		finish(t, c)
		isClean(t, one, two)
	})
}

// TestEndStrangers: a subreaper ends its own descendants, nobody else's.
func TestEndStrangers(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		o.NotPID1 = true
		tool := testns.Tool(t)
		c := sbinit(t, o, nil, script("setsid %s daemon </dev/null >/dev/null 2>&1; exec %s record", testns.As(t, "own", tool), tool)...)
		c.WaitFor(t, "ready", func() bool { return strings.HasSuffix(c.Stdout(), "ready\n") })
		c.One("own")
		c.Exec(t, testns.As(t, "stranger", tool), "mute")
		c.One("stranger")
		c.Signal(64)
		ends(t, c, 0)
		if len(c.Find("own")) != 0 {
			t.Errorf("a descendant is left:\n%s", c.Dump())
		}
		c.One("stranger")
	})
}

// TestEndHostile: the end of the container is the end of everybody.
func TestEndHostile(t *testing.T) {
	eachRole(t, func(t *testing.T, o testns.Options) {
		for _, mode := range []string{
			"chain 2000", "wide 500", "respawn 1000000", "watchdogs 1000000", "zombie-leader 3", "siblings 5", "vfork",
			"daemon", "name ') Z 1'", "stop", "leave 50", "zombies 50", "comets 8 4000", "subreaper " + testns.Tool(t) + " leave 20",
		} {
			name, _, _ := strings.Cut(mode, " ")
			t.Run(name, func(t *testing.T) {
				c := sbinit(t, o, []string{"SBINIT_EXIT_GRACE=300ms"}, background(testns.As(t, "hostile", testns.Tool(t))+" "+mode)...)
				ready(t, c)
				endMain(t, c)
				ends(t, c, 3)
				if left := c.Find("hostile"); len(left) != 0 {
					t.Errorf("%d are left", len(left))
				}
				if strings.Contains(c.Stderr(), "exiting although") {
					t.Errorf("sbinit gave up:\n%s", c.Stderr())
				}
			})
		}
	})
}

// TestEndUntouchable: a zombie which a tracer outside holds cannot be reaped. It is
// named, and sbinit exits nevertheless; as PID 1 the kernel then waits for it.
func TestEndUntouchable(t *testing.T) {
	eachRole(t, func(t *testing.T, o testns.Options) {
		c := sbinit(t, o, []string{"SBINIT_EXIT_GRACE=200ms"}, background(testns.As(t, "held", testns.Tool(t))+" sleep")...)
		ready(t, c)
		held := c.One("held")
		tracer := exec.Command(testns.Tool(t), "trace", fmt.Sprint(held.HostPID))
		complaint := &strings.Builder{}
		tracer.Stderr = complaint
		out, err := tracer.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := tracer.Start(); err != nil {
			t.Fatal(err)
		}
		release := func() { tracer.Process.Kill(); tracer.Wait() }
		t.Cleanup(release)
		if _, err := out.Read(make([]byte, 6)); err != nil {
			tracer.Wait()
			t.Fatalf("no tracer: %v, %s", err, complaint)
		}
		begin := time.Now()
		endMain(t, c)
		if !o.NotPID1 {
			said(t, c, "exiting although a process is left")
			release()
		}
		ends(t, c, 3)
		if took := time.Since(begin); took > 20*time.Second {
			t.Errorf("ended after %v", took)
		}
		said(t, c, fmt.Sprintf(`exiting although a process is left {"pid": %d, "name": "held"`, held.PID))
	})
}
