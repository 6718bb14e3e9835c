//go:build e2e

package e2e

import (
	"errors"
	"os/exec"
	"strings"
	"testing"
)

// smoke runs deploy/smoke/orphans.sh from outside the container, as a CI does.
func (c *container) smoke(env []string, name ...string) result {
	c.t.Helper()
	cmd := daemon.client(c.t.Context(), "../smoke/orphans.sh", append([]string{c.id}, name...)...)
	cmd.Env = append(cmd.Env, env...)
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		c.t.Fatal(err)
	}
	return result{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode(), 0}
}

// expectSmoke wants that number and status, and that sbinit counts the same by its own means.
func (c *container) expectSmoke(count string, code int, env []string, name ...string) {
	c.t.Helper()
	r := c.smoke(env, name...)
	if r.stdout != count+"\n" || r.code != code || (r.stderr == "") != (code == 0) {
		c.t.Errorf("orphans.sh %q with %q: %+v, want %s and status %d", name, env, r, count, code)
	}
	if len(name) == 0 {
		if own := c.sbinit(0, "orphans", "--count"); own != count+"\n" {
			c.t.Errorf("orphans.sh counts %s, sbinit %s", count, own)
		}
	}
}

// The protocol child's command line, without the NULs in between.
const protocolName = "child*protocol"

// orphanTwo kills the agent daemon: PID 1 adopts its two children a moment after it has lost its name.
func (c *container) orphanTwo() {
	c.t.Helper()
	c.killDaemon("KILL")
	eventually(c.t, settleLimit, "two orphans", func() bool { return len(c.processes().orphans("child ")) == 2 })
}

// The leak is counted wherever it stays, and under sbinit's default it is gone once the grace is over. The dev server
// stays: what it was started for.
func TestSmoke(t *testing.T) {
	t.Parallel()
	for name, options := range map[string][]string{"tini": underTini, "sbinit, keep": {"-e", "SBINIT_ORPHANS=keep"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			box := startRunner(t, options)
			box.expectSmoke("0", 0, nil)
			box.orphanTwo()
			box.expectSmoke("1", 1, nil, protocolName)
			box.expectSmoke("2", 1, nil)
			box.expectSmoke("2", 1, []string{"MAX=1"})
			box.expectSmoke("2", 0, []string{"MAX=2"})
			box.expectSmoke("0", 0, nil, "no-such-name")
			if r := box.smoke(nil); !strings.Contains(r.stderr, "child") {
				t.Errorf("the orphans are not named: %q", r.stderr)
			}
		})
	}
	t.Run("sbinit", func(t *testing.T) {
		t.Parallel()
		box := startRunner(t, nil)
		box.orphanTwo()
		box.expectSmoke("1", 1, nil, protocolName)
		box.awaitNo(protocolChild, graces)
		box.expectSmoke("0", 0, nil, protocolName)
		box.expectSmoke("1", 0, []string{"MAX=1"})
	})
}

// Zombies, the main program's own children, what docker exec runs and a session's worker are no orphans.
func TestSmokeCountsNothingElse(t *testing.T) {
	t.Parallel()
	box := startReady(t, []string{"-e", "SBINIT_ORPHANS=keep"}, "sh", "-c", "sleep 1000 & "+endsOnTerm)
	must(t, "exec", "--detach", box.id, "sleep", "1001")
	must(t, "exec", "--detach", box.id, "probe", "session", "/run/sbinit.sock")
	eventually(t, settleLimit, "a session", func() bool { return len(box.processes().named("sleep 1002")) == 1 })
	if workers := box.processes().orphans("sbinit-worker"); len(workers) != 1 {
		t.Errorf("%d workers are PID 1's children, want 1: %+v", len(workers), workers)
	}
	box.expectSmoke("0", 0, nil)
	zombies := startReady(t, []string{"--entrypoint", "/bin/probe"}, "hold")
	zombies.exec("sh", "-c", "sleep 1003 </dev/null >/dev/null 2>&1 &")
	zombies.exec("sh", "-c", makeZombies)
	eventually(t, settleLimit, "100 zombies", func() bool { return len(zombies.processes().zombies()) >= 100 })
	if r := zombies.smoke(nil); r.stdout != "0\n" || r.code != 0 {
		t.Errorf("the oldest child is the main program, the others are dead: %+v", r)
	}
}

// A name with all that a name can have does not confuse it, nor does a process that calls itself a worker.
func TestSmokeIsNotFooled(t *testing.T) {
	t.Parallel()
	box := startReady(t, []string{"-e", "SBINIT_ORPHANS=keep"}, "sh", "-c", endsOnTerm)
	box.exec("bash", "-c", `odd=$'/tmp/) Z 1 1\n7'; cp /bin/probe "$odd"; ("$odd" hold </dev/null >/dev/null 2>&1 &)`)
	box.exec("bash", "-c", `(exec -a sbinit-worker probe hold </dev/null >/dev/null 2>&1 &)`)
	eventually(t, settleLimit, "two orphans", func() bool {
		return box.sbinit(0, "orphans", "--count") == "2\n"
	})
	box.expectSmoke("2", 1, nil)
	box.expectSmoke("1", 1, nil, "Z 1 1 7")
	box.expectSmoke("1", 1, nil, "sbinit-worker")
}

func TestSmokeThatCannotLook(t *testing.T) {
	t.Parallel()
	ended := &container{t, "no-such-container"}
	if r := ended.smoke(nil); r.code != 2 || r.stdout != "" {
		t.Errorf("no container: %+v", r)
	}
	box := startReady(t, nil, "sh", "-c", endsOnTerm)
	if r := box.smoke([]string{"MAX=few"}); r.code != 2 || r.stdout != "" {
		t.Errorf("no number: %+v", r)
	}
	if r := box.smoke(nil, "a", "b"); r.code != 2 || r.stdout != "" {
		t.Errorf("too many arguments: %+v", r)
	}
}
