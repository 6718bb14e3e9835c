//go:build e2e

package e2e

import (
	"os"
	"strings"
	"testing"
)

// The engine runs with --init-path=bin/sbinit, so `docker run --init` puts sbinit at /sbin/docker-init. Called by that
// name, it behaves as tini does there.

// underInit are the options of a container whose image has no init of its own.
func underInit(options ...string) []string {
	return append([]string{"--init", "--entrypoint", ""}, options...)
}

func TestInitPath(t *testing.T) {
	t.Parallel()
	box := startReady(t, underInit(), "sh", "-c", endsOnTerm)
	if args := box.processes().pid(1).args; args != "/sbin/docker-init -- sh -c "+endsOnTerm {
		t.Errorf("PID 1 is %q", args)
	}
	box.exec("cmp", "/sbin/docker-init", "/sbinit")
	box.exec("sh", "-c", makeZombies)
	eventually(t, settleLimit, "the orphans' end", func() bool { return len(box.processes()) == 3 })
	box.stop(30)
	box.expectExit(7)
}

func TestInitPathExitStatus(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]int{"exit 0": 0, "exit 3": 3, "kill -KILL $$": 137} {
		r := runOnce(t, underInit(), "sh", "-c", "echo out; echo err >&2; "+command)
		if r.code != want || r.stdout != "out\n" || r.stderr != "err\n" {
			t.Errorf("%s: got %+v, want status %d", command, r, want)
		}
	}
}

// By the name docker-init orphans are kept, as tini keeps them; asked for it, sbinit ends the abandoned ones.
func TestInitPathOrphans(t *testing.T) {
	t.Parallel()
	kept := startRunner(t, underInit("-e", "SBINIT_ORPHAN_GRACE=0"))
	ended := startRunner(t, underInit("-e", "SBINIT_ORPHAN_GRACE=0", "-e", "SBINIT_ORPHANS=abandoned"))
	kept.killDaemon("KILL")
	ended.killDaemon("KILL")
	ended.awaitNo(protocolChild, settleLimit)
	ended.expectOrphans(devServer, 1)
	kept.settle()
	kept.expectOrphans(protocolChild, 1)
	kept.expectOrphans(devServer, 1)
}

// docker asks the init for its version and complains when it does not understand the answer.
func TestInitPathVersion(t *testing.T) {
	t.Parallel()
	info := docker(t, "info", "--format", "{{.InitBinary}} {{.InitCommit.ID}}")
	binary, commit, _ := strings.Cut(strings.TrimSpace(info.stdout), " ")
	if !strings.HasSuffix(binary, "/sbinit") || commit == "" || commit == "N/A" {
		t.Errorf("docker info: init binary %q, version %q", binary, commit)
	}
	log, err := os.ReadFile(daemon.logPath())
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(log)) {
		if strings.Contains(line, "level=warning") && strings.Contains(line, "sbinit version") {
			t.Errorf("dockerd does not understand the version line: %s", line)
		}
	}
}
