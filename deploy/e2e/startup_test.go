//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A small CPU quota stretches sbinit's start-up to a good part of a second, and the signal arrives in the middle of it.
// A signal that PID 1 neither blocks nor catches is lost (signal(7)), and docker then waits its whole timeout. What is
// sent before the first instruction of sbinit is lost for any program, so each attempt begins after it.
func TestStopDuringStartUp(t *testing.T) {
	t.Parallel()
	const patience = 20 * time.Second
	early := 0
	for attempt := range 6 {
		t.Run(fmt.Sprint(attempt), func(t *testing.T) {
			c := start(t, []string{"--cpus", "0.02"}, "sleep", "1000")
			c.awaitFirstInstruction()
			if strings.Count(c.cgroupFile("cgroup.procs"), "\n") == 1 {
				early++
			}
			if took := c.stopAtOnce(patience); took >= patience {
				t.Errorf("docker stop took %v: SIGTERM was lost", took)
			}
			c.expectExit(143)
		})
	}
	if early == 0 {
		t.Error("the main program always ran before the signal: this did not test the start-up")
	}
}

// awaitFirstInstruction waits until PID 1 blocks or catches SIGTERM. It looks at the engine's /proc, which is quick.
func (c *container) awaitFirstInstruction() {
	c.t.Helper()
	pid := must(c.t, "inspect", "--format", "{{.State.Pid}}", c.id)
	status := fmt.Sprintf("/proc/%d/root/proc/%s/status", daemon.cmd.Process.Pid, pid)
	for deadline := time.Now().Add(settleLimit); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		content, err := os.ReadFile(status)
		if err != nil {
			c.t.Fatal(err)
		}
		if isSbinit(string(content)) && takesTerm(string(content)) {
			return
		}
	}
	c.t.Fatal("PID 1 never blocked or caught SIGTERM")
}

// isSbinit tells sbinit from what runc still is before its exec, by the name in /proc/PID/status.
func isSbinit(status string) bool { return strings.HasPrefix(status, "Name:\tsbinit\n") }

func takesTerm(status string) bool {
	for line := range strings.Lines(status) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":\t")
		mask, err := strconv.ParseUint(value, 16, 64)
		if (name == "SigBlk" || name == "SigCgt") && err == nil && mask&(1<<(syscall.SIGTERM-1)) != 0 {
			return true
		}
	}
	return false
}

// stopAtOnce is `docker stop` without the start-up of its client.
func (c *container) stopAtOnce(patience time.Duration) time.Duration {
	c.t.Helper()
	api := http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", daemon.socket())
	}}}
	defer api.CloseIdleConnections()
	began := time.Now()
	answer, err := api.Post(fmt.Sprintf("http://docker/containers/%s/stop?t=%d", c.id, int(patience.Seconds())), "", nil)
	if err != nil {
		c.t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusNoContent {
		c.t.Fatalf("the engine answered %s", answer.Status)
	}
	return time.Since(began)
}
