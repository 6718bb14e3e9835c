//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
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

// The same wherever a container takes something away from sbinit. Without CAP_SYS_PTRACE a process of another uid shows
// its descriptors only to that uid.
func TestOrphansInRestrictedContainers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		options []string
		daemon  []string
	}{
		{"another uid under docker's capabilities", nil, []string{"-uid", "1000"}},
		{"read-only root", []string{"--read-only", "--tmpfs", "/tmp"}, nil},
		{"plain user", []string{"--user", "1000:1000"}, nil},
		{"plain user without a passwd entry", []string{"--user", "4321:4321"}, nil},
		{"no capability", []string{"--cap-drop", "ALL"}, nil},
		{"no new privileges", []string{"--security-opt", "no-new-privileges", "--user", "1000:1000"}, nil},
		{"pidfd refused with EPERM", []string{"--security-opt", "seccomp=" + withoutPidfd(t, 1)}, nil},
		{"pidfd refused with ENOSYS", []string{"--security-opt", "seccomp=" + withoutPidfd(t, 38)}, nil},
		{"few processes", []string{"--pids-limit", "50"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			options := append([]string{"-e", "SBINIT_ORPHAN_GRACE=0"}, c.options...)
			box := startRunner(t, options, c.daemon...)
			box.killDaemon("KILL")
			box.awaitNo(protocolChild, settleLimit)
			box.expectOrphans(devServer, 1)
			box.stop(30)
			box.expectExit(7)
		})
	}
}

// withoutPidfd is a seccomp profile that refuses the calls of pidfd with errno, and allows everything else.
func withoutPidfd(t *testing.T, errno int) string {
	t.Helper()
	profile := filepath.Join(t.TempDir(), "seccomp.json")
	rule := fmt.Sprintf(`{"defaultAction": "SCMP_ACT_ALLOW", "syscalls": [
		{"names": ["pidfd_open", "pidfd_send_signal"], "action": "SCMP_ACT_ERRNO", "errnoRet": %d}]}`, errno)
	if err := os.WriteFile(profile, []byte(rule), 0o644); err != nil {
		t.Fatal(err)
	}
	return profile
}

// The profiles do what the tests above rely on.
func TestSeccompProfileRefusesPidfd(t *testing.T) {
	t.Parallel()
	for errno, text := range map[int]string{1: "operation not permitted", 38: "function not implemented"} {
		r := runOnce(t, []string{"--security-opt", "seccomp=" + withoutPidfd(t, errno)}, "probe", "pidfd")
		want := fmt.Sprintf("pidfd_open: %s\npidfd_send_signal: %s\n", text, text)
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
