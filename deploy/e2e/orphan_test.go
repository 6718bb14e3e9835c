//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// graces is what the default settings give an orphan that does not end on SIGTERM, and some time for a slow machine.
const graces = 10*time.Second + settleLimit

// The two children of the agent daemon: the leak, and what has to stay.
const (
	protocolChild = "child protocol"
	devServer     = "child dev-server"
)

// runner is the main program: it starts the agent daemon, with the arguments that it got.
const runner = `trap "exit 7" TERM; probe daemon "$@" & while :; do sleep 60 & wait $!; done`

// startRunner runs a container with a runner, an agent daemon and the daemon's two children.
func startRunner(t *testing.T, options []string, daemonArgs ...string) *container {
	t.Helper()
	return startReady(t, options, append([]string{"sh", "-c", runner, "runner"}, daemonArgs...)...)
}

// killDaemon ends the agent daemon and leaves its children to PID 1.
func (c *container) killDaemon(signal string) {
	c.t.Helper()
	daemons := c.processes().running("probe daemon")
	if len(daemons) != 1 {
		c.t.Fatalf("%d agent daemons run, want 1", len(daemons))
	}
	c.exec("kill", "-"+signal, strconv.Itoa(daemons[0].pid))
	eventually(c.t, settleLimit, "the daemon's end", func() bool {
		return len(c.processes().running("probe daemon")) == 0
	})
}

func (c *container) expectOrphans(name string, want int) {
	c.t.Helper()
	if got := c.processes().orphans(name); len(got) != want {
		c.t.Errorf("%d orphans %q, want %d: %+v", len(got), name, want, got)
	}
}

func (c *container) awaitNo(name string, limit time.Duration) {
	c.t.Helper()
	eventually(c.t, limit, "the end of "+name, func() bool { return len(c.processes().named(name)) == 0 })
}

// The incident in small, with no setting at all. tini is the control: there the child stays for good.
func TestOrphansAfterTheDaemonWasKilled(t *testing.T) {
	t.Parallel()
	for _, signal := range []string{"TERM", "KILL"} {
		t.Run(signal, func(t *testing.T) {
			t.Parallel()
			tini := startRunner(t, underTini)
			ours := startRunner(t, nil)
			child := ours.processes().named(protocolChild)
			tini.killDaemon(signal)
			killed := time.Now()
			ours.killDaemon(signal)
			ours.awaitNo(protocolChild, graces)
			if took := time.Since(killed); took < 4*time.Second {
				t.Errorf("the child was ended after %v, before the grace of 5 s in which a healthy one leaves by itself", took)
			}
			ours.expectOrphans(devServer, 1)
			tini.expectOrphans(protocolChild, 1)
			tini.expectOrphans(devServer, 1)
			ours.expectLogged(child[0].pid, "SBINIT_")
			ours.stop(30)
			ours.expectExit(7)
		})
	}
}

// The same wherever a container takes something away from sbinit.
func TestOrphansInRestrictedContainers(t *testing.T) {
	t.Parallel()
	for name, options := range restrictions {
		t.Run(name, func(t *testing.T) { testOrphan(t, options) })
	}
	for _, errno := range []syscall.Errno{syscall.EPERM, syscall.ENOSYS} {
		t.Run("pidfd refused: "+errno.Error(), func(t *testing.T) { testOrphan(t, withoutPidfd(t, errno)) })
	}
}

// Without CAP_SYS_PTRACE, which docker does not give, a process shows its descriptors only to its own uid.
func TestOrphansOfAnotherUser(t *testing.T) {
	t.Parallel()
	t.Run("default capabilities", func(t *testing.T) { testOrphan(t, nil, "-uid", "1000") })
	t.Run("no pidfd", func(t *testing.T) { testOrphan(t, withoutPidfd(t, syscall.EPERM), "-uid", "1000") })
}

// testOrphan kills an agent daemon; its protocol child has to go and its dev server to stay.
func testOrphan(t *testing.T, options []string, daemonArgs ...string) {
	t.Parallel()
	box := startRunner(t, append([]string{"-e", "SBINIT_ORPHAN_GRACE=0"}, options...), daemonArgs...)
	box.killDaemon("KILL")
	box.awaitNo(protocolChild, settleLimit)
	box.expectOrphans(devServer, 1)
	box.stop(30)
	box.expectExit(7)
}

// withoutPidfd are the options of a container whose kernel refuses the calls of pidfd with errno, and nothing else.
func withoutPidfd(t *testing.T, errno syscall.Errno) []string {
	t.Helper()
	profile := filepath.Join(t.TempDir(), "seccomp.json")
	rule := fmt.Sprintf(`{"defaultAction": "SCMP_ACT_ALLOW", "syscalls": [
		{"names": ["pidfd_open", "pidfd_send_signal"], "action": "SCMP_ACT_ERRNO", "errnoRet": %d}]}`, errno)
	if err := os.WriteFile(profile, []byte(rule), 0o644); err != nil {
		t.Fatal(err)
	}
	return []string{"--security-opt", "seccomp=" + profile}
}

// The profiles do what the tests above rely on.
func TestSeccompProfileRefusesPidfd(t *testing.T) {
	t.Parallel()
	for _, errno := range []syscall.Errno{syscall.EPERM, syscall.ENOSYS} {
		r := runOnce(t, withoutPidfd(t, errno), "probe", "pidfd")
		want := fmt.Sprintf("pidfd_open: %v\npidfd_send_signal: %v\n", errno, errno)
		if r.code != 0 || r.stdout != want || r.stderr != "" {
			t.Errorf("got %+v, want %q", r, want)
		}
	}
}

// makeZombies leaves a hundred orphans that exit.
const makeZombies = `i=0; while [ $i -lt 100 ]; do (sleep 0.2 </dev/null >/tmp/z.log 2>&1 &); i=$((i+1)); done`

func TestNoZombieStays(t *testing.T) {
	t.Parallel()
	control := startReady(t, []string{"--entrypoint", "/bin/probe"}, "hold")
	ours := startReady(t, nil, "sh", "-c", endsOnTerm)
	control.exec("sh", "-c", makeZombies)
	ours.exec("sh", "-c", makeZombies)
	eventually(t, settleLimit, "100 zombies under a PID 1 that does not reap", func() bool {
		return len(control.processes().zombies()) >= 100
	})
	eventually(t, settleLimit, "the orphans' end", func() bool {
		return len(ours.processes().filter(func(p process) bool { return strings.Contains(p.args, "sleep 0.2") })) == 0
	})
	if zombies := ours.processes().zombies(); len(zombies) != 0 {
		t.Errorf("zombies are left: %+v", zombies)
	}
	ours.stop(30)
	ours.expectExit(7)
}
