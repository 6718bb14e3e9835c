//go:build e2e

package e2e

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// here is what the tests' container differs in from deploy/compose/compose.yaml: no network, an agent's daemon that a
// busybox image can play, and no patience.
const here = `services:
  sandbox:
    network_mode: none
    command: ["bash", "-c", "(exec -a sandbox-agent probe daemon) & trap 'exit 7' TERM; while :; do sleep 60 & wait $$!; done"]
    environment:
      SBINIT_KILL_GRACE: 1s
      SBINIT_LOG_LEVEL: info
    restart: "no"
    healthcheck:
      interval: 1s
      start_period: 0s
`

// compose runs docker-compose in a project of the test's own.
func compose(t *testing.T, override, project string, args ...string) string {
	t.Helper()
	all := append([]string{"--project-name", project, "--file", "../compose/compose.yaml", "--file", override}, args...)
	cmd := daemon.client(context.Background(), "docker-compose", all...) // the test's context ends before its clean-up
	cmd.Env = append(cmd.Env, "SANDBOX_IMAGE="+image)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, out)
	}
	return string(out)
}

// The file as it is, on the real engine: healthy with nothing but what it gives, and the guard that it names at work.
func TestCompose(t *testing.T) {
	t.Parallel()
	override := filepath.Join(t.TempDir(), "here.yaml")
	if err := os.WriteFile(override, []byte(here), 0o644); err != nil {
		t.Fatal(err)
	}
	const project = "e2e-compose"
	t.Cleanup(func() { compose(t, override, project, "down", "--volumes", "--timeout", "30") })
	compose(t, override, project, "up", "--detach")
	box := &container{t, must(t, "ps", "--quiet", "--filter", "label=com.docker.compose.project="+project)}
	box.awaitOutput("ready")
	eventually(t, settleLimit, "health", func() bool {
		return must(t, "inspect", "--format", "{{.State.Health.Status}}", box.id) == "healthy"
	})
	if out := box.sbinit(0, "check"); strings.Contains(out, "no socket") {
		t.Errorf("the init has no socket: %s", out)
	}
	daemons := box.processes().named("} sandbox-agent daemon")
	if len(daemons) != 1 {
		t.Fatalf("%d daemons run: %+v", len(daemons), box.processes())
	}
	box.exec("sh", "-c", "kill -KILL "+strconv.Itoa(daemons[0].pid))
	box.awaitNo(protocolChild, graces)
	box.awaitNo(devServer, graces)
	box.expectSmoke("0", 0, nil)
	box.stop(20)
	box.expectExit(7)
}
