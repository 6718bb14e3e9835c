package validate

import (
	"cmp"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// settingsFaults are what sbinit itself has against its environment, and a time to stop which is longer than it gets.
func settingsFaults(t *testing.T, environ map[string]string, patience time.Duration) (faults []string) {
	t.Helper()
	sbinit := cmp.Or(os.Getenv("SBINIT_BINARY"), "../../bin/sbinit")
	run := exec.Command(sbinit, "--", "/bin/sh", "-c", "echo runs")
	run.Env = []string{"PATH=/usr/bin:/bin"}
	for name, value := range environ {
		run.Env = append(run.Env, name+"="+value)
	}
	out, err := run.CombinedOutput()
	if err != nil && !strings.Contains(string(out), "SBINIT_") {
		t.Fatalf("%v, `make build` makes it: %v\n%s", run, err, out)
	}
	if string(out) != "runs\n" {
		faults = append(faults, string(out))
	}
	if grace(environ["SBINIT_STOP_GRACE"], 0)+grace(environ["SBINIT_EXIT_GRACE"], 3*time.Second) >= patience {
		faults = append(faults, "the engine's patience ends before sbinit's")
	}
	return faults
}

// grace is a duration in the environment, or sbinit's default. Of a wrong one sbinit itself tells.
func grace(value string, standard time.Duration) time.Duration {
	if d, err := time.ParseDuration(value); err == nil {
		return d
	}
	return standard
}
