//go:build e2e

package e2e

import (
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// sbinit runs one of its commands by docker exec, and wants that exit status.
func (c *container) sbinit(status int, args ...string) string {
	c.t.Helper()
	r := docker(c.t, append([]string{"exec", c.id, "/sbinit"}, args...)...)
	if r.code != status {
		c.t.Errorf("sbinit %s: status %d, want %d\n%s%s", strings.Join(args, " "), r.code, status, r.stdout, r.stderr)
	}
	return r.stdout
}

// What the views count is what is there, wherever a container takes something away.
func TestViews(t *testing.T) {
	t.Parallel()
	for name, options := range restrictions {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			box := startRunner(t, append([]string{"-e", "SBINIT_ORPHANS=keep"}, options...))
			box.killDaemon("KILL")
			eventually(t, settleLimit, "two orphans", func() bool { return len(box.processes().orphans("child ")) == 2 })
			if out := box.sbinit(0, "orphans", "--count"); out != "2\n" {
				t.Errorf("counted %q", out)
			}
			box.sbinit(1, "orphans", "--match", "probe", "--max", "1")
			box.sbinit(0, "check", "--max-orphans", "2")
			box.sbinit(1, "check", "--max-orphans", "1")
			ps := box.sbinit(0, "ps")
			for _, p := range box.processes().orphans("child ") {
				if !strings.Contains(ps, "\n"+pad(p.pid)+"  orphan  ") {
					t.Errorf("process %d is no orphan in\n%s", p.pid, ps)
				}
			}
			box.stop(30)
			box.expectExit(7)
		})
	}
}

// pad is a number as the first column has it, which is as wide as its title.
func pad(pid int) string {
	n := strconv.Itoa(pid)
	return strings.Repeat(" ", max(0, len("PID")-len(n))) + n
}

// The same under another init: a test that counts orphans needs no sbinit as PID 1.
func TestOrphansAreCountedUnderTini(t *testing.T) {
	t.Parallel()
	box := startRunner(t, underTini)
	box.killDaemon("KILL")
	eventually(t, settleLimit, "two orphans", func() bool { return len(box.processes().orphans("child ")) == 2 })
	if out := box.sbinit(0, "orphans", "--count"); out != "2\n" {
		t.Errorf("counted %q", out)
	}
	box.sbinit(1, "check")
}

func TestHealthcheck(t *testing.T) {
	t.Parallel()
	health := func(c *container) string { return must(t, "inspect", "--format", "{{.State.Health.Status}}", c.id) }
	options := []string{"-e", "SBINIT_ORPHANS=keep", "--health-cmd", "/sbinit check --max-orphans 0", "--health-interval", "1s", "--health-retries", "1"}
	box := startRunner(t, options)
	eventually(t, settleLimit, "health", func() bool { return health(box) == "healthy" })
	box.killDaemon("KILL")
	eventually(t, settleLimit, "an unhealthy container", func() bool { return health(box) == "unhealthy" })
	log := must(t, "inspect", "--format", "{{range .State.Health.Log}}{{.Output}}{{end}}", box.id)
	if !strings.Contains(log, "unhealthy: 2 orphans, allowed are 0") {
		t.Error(log)
	}
}

// Docker gives a container all that is needed, also where it takes a good deal away.
func TestDoctor(t *testing.T) {
	t.Parallel()
	asPID1 := []string{"--entrypoint", "/sbinit"}
	for name, options := range restrictions {
		r := runOnce(t, append(options[:len(options):len(options)], asPID1...), "doctor")
		if r.code != 0 || strings.Contains(r.stdout, "lack") {
			t.Errorf("%s: %+v", name, r)
		}
	}
	r := runOnce(t, asPID1, "doctor")
	if r.code != 0 || strings.Contains(r.stdout, "less") {
		t.Errorf("by default: %+v", r)
	}
	r = runOnce(t, append(withoutPidfd(t, syscall.EPERM), asPID1...), "doctor")
	if r.code != 1 || !strings.Contains(r.stdout, "\nlack  pidfd ") {
		t.Errorf("without pidfd: %+v", r)
	}
}
