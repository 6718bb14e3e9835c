//go:build e2e

package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

const (
	endsOnTerm  = `trap "exit 7" TERM; echo ready; while :; do sleep 60 & wait $!; done`
	ignoresTerm = `trap "" TERM; echo ready; sleep 60`
)

func TestStopOfAMainProgramThatHandlesTerm(t *testing.T) {
	t.Parallel()
	c := startReady(t, nil, "sh", "-c", endsOnTerm)
	if took := c.stop(30); took > 10*time.Second {
		t.Errorf("docker stop took %v", took)
	}
	c.expectExit(7)
}

func TestStopOfAMainProgramThatIgnoresTerm(t *testing.T) {
	t.Parallel()
	c := startReady(t, nil, "sh", "-c", ignoresTerm)
	if took := c.stop(2); took < 2*time.Second {
		t.Errorf("docker stop took %v, less than its timeout: the container ended by itself", took)
	}
	c.expectExit(137)
}

func TestStopGraceEndsAMainProgramThatIgnoresTerm(t *testing.T) {
	t.Parallel()
	c := startReady(t, []string{"-e", "SBINIT_STOP_GRACE=1s"}, "sh", "-c", ignoresTerm)
	took := c.stop(60)
	if took < time.Second || took > 20*time.Second {
		t.Errorf("docker stop took %v, want a bit more than the grace of 1 s", took)
	}
	c.expectExit(137)
}

func TestKillForwardsEachSignal(t *testing.T) {
	t.Parallel()
	c := startReady(t, nil, "probe", "signals", "1", "10", "37")
	want := "ready\n"
	for _, s := range []struct {
		name   string
		number int
	}{{"HUP", 1}, {"USR1", 10}, {"RTMIN+3", 37}, {"USR1", 10}} {
		must(t, "kill", "--signal", s.name, c.id)
		want += fmt.Sprintf("signal %d\n", s.number)
		eventually(t, settleLimit, "signal "+s.name, func() bool { return c.output() == want })
	}
	must(t, "kill", "--signal", "TERM", c.id)
	if code := c.wait(); code != 143 {
		t.Errorf("exit status %d after SIGTERM, want 143", code)
	}
}

// kill -9 of the container is the kernel's business, but the status is docker's to tell.
func TestKillOfTheContainer(t *testing.T) {
	t.Parallel()
	c := startReady(t, nil, "sh", "-c", ignoresTerm)
	must(t, "kill", c.id)
	if code := c.wait(); code != 137 {
		t.Errorf("exit status %d after SIGKILL, want 137", code)
	}
}

func TestRewrittenSignal(t *testing.T) {
	t.Parallel()
	c := startReady(t, []string{"-e", "SBINIT_SIGNAL_REWRITE=TERM=INT"}, "probe", "signals", "2", "15")
	must(t, "kill", "--signal", "TERM", c.id)
	c.awaitOutput("signal 2")
	if out := c.output(); strings.Contains(out, "signal 15") {
		t.Errorf("SIGTERM came through as well: %q", out)
	}
}
