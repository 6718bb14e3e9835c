package validate

import (
	"time"

	"github.com/sbinit/sbinit/internal/config"
)

// settingsFaults are those that sbinit would find in its environment, and a time to stop which is longer than it gets.
func settingsFaults(environ []string, patience int64) (faults []string) {
	in, warnings, err := config.Parse(config.Input{Args: []string{"sbinit", "--", "true"}, Environ: environ, PID1: true})
	if err != nil {
		return []string{err.Error()}
	}
	for _, w := range warnings {
		faults = append(faults, w.String())
	}
	if stop := max(in.Config.StopGrace, 0) + max(in.Config.ExitGrace, 0); stop >= time.Duration(patience)*time.Second {
		faults = append(faults, "the engine's patience ends before sbinit's")
	}
	return faults
}
