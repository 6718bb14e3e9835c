//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// bombs are the processes of the fork bomb. From outside they are counted without a new process in the container.
func (c *container) bombs() processes { c.t.Helper(); return c.top().running("probe forkbomb") }

// detonate starts a fork bomb and waits until the kernel has refused it a good number of forks.
func (c *container) detonate(bomb ...string) {
	c.t.Helper()
	must(c.t, append([]string{"exec", "--detach", c.id, "probe", "forkbomb"}, bomb...)...)
	eventually(c.t, settleLimit, "100 forks refused", func() bool { return c.refusedForks() >= 100 })
}

func (c *container) refusedForks() int {
	c.t.Helper()
	refused := 0
	if _, err := fmt.Sscanf(c.cgroupFile("pids.events"), "max %d", &refused); err != nil {
		c.t.Fatalf("pids.events: %v", err)
	}
	return refused
}

// cgroupFile reads a file of the container's cgroup that has the pids controller, of version 1 or 2.
func (c *container) cgroupFile(name string) string {
	c.t.Helper()
	for _, controller := range []string{"pids", ""} {
		content, err := os.ReadFile(filepath.Join("/sys/fs/cgroup", controller, daemon.cgroup, c.id, name))
		if err == nil {
			return string(content)
		}
	}
	c.t.Fatalf("the container's cgroup has no %s", name)
	return ""
}

func TestForkBombAtThePidsLimit(t *testing.T) {
	t.Parallel()
	box := startReady(t, []string{"--pids-limit", "20"}, "sh", "-c", endsOnTerm)
	box.detonate("5s")
	eventually(t, settleLimit, "the bomb's end", func() bool { return len(box.top().named("forkbomb")) == 0 })
	eventually(t, settleLimit, "the last zombie reaped", func() bool { return len(box.processes().zombies()) == 0 })
	if !strings.HasPrefix(box.processes().pid(1).args, "/sbinit") {
		t.Errorf("PID 1 is %q", box.processes().pid(1).args)
	}
	box.stop(30)
	box.expectExit(7)
}

// The bomb never ends and ignores SIGTERM: its first process stays, the others come and go. The main program's status and the grace hold nevertheless.
func TestStopInTheMiddleOfAForkBomb(t *testing.T) {
	t.Parallel()
	box := startReady(t, []string{"--pids-limit", "20", "-e", "SBINIT_EXIT_GRACE=1s"}, "sh", "-c", endsOnTerm)
	box.detonate()
	var before processes
	eventually(t, settleLimit, "a good number of processes", func() bool {
		before = box.bombs()
		return len(before) >= 4
	})
	eventually(t, settleLimit, "all but one of them gone", func() bool { return before.inCommon(box.bombs()) <= 1 })
	if took := box.stop(60); took > 20*time.Second {
		t.Errorf("docker stop took %v", took)
	}
	box.expectExit(7)
}

// A limit that leaves no room for sbinit, or for the main program, is said in words and not by a stack trace. Below 8
// a Go program may not get as far as saying anything of its own.
func TestPidsLimitTooLowIsSaidClearly(t *testing.T) {
	t.Parallel()
	for _, limit := range []string{"8", "9", "10", "11"} {
		r := runOnce(t, []string{"--pids-limit", limit}, "true")
		said := r.code == 125 && strings.Contains(r.stderr, "pids") && !strings.Contains(r.stderr, "goroutine")
		if r.code != 0 && !said {
			t.Errorf("limit %s: status %d, stderr %.200q", limit, r.code, r.stderr)
		}
	}
}
