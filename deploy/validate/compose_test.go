package validate

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/types"
)

const composeFile = "../compose/compose.yaml"

// load validates by the schema of the Compose specification, and fills the variables in.
func load(t *testing.T, content string) (*types.Project, error) {
	t.Helper()
	return loader.LoadWithContext(t.Context(), types.ConfigDetails{
		WorkingDir:  t.TempDir(),
		ConfigFiles: []types.ConfigFile{{Filename: "compose.yaml", Content: []byte(content)}},
		Environment: types.Mapping{"SANDBOX_IMAGE": "my-sandbox"},
	}, func(o *loader.Options) { o.SetProjectName("sandbox", true) })
}

func compose(t *testing.T) string {
	t.Helper()
	content, err := os.ReadFile(composeFile)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// serviceFaults says what would not work, though the schema allows it.
func serviceFaults(t *testing.T, s types.ServiceConfig) (faults []string) {
	t.Helper()
	if !slices.Equal(s.Entrypoint, []string{"/sbinit", "--"}) || s.Init != nil {
		faults = append(faults, "sbinit is not PID 1")
	}
	if h := s.HealthCheck; h == nil || len(h.Test) < 3 || !slices.Equal(h.Test[:3], []string{"CMD", "/sbinit", "check"}) {
		faults = append(faults, "the healthcheck is not `sbinit check`")
	}
	if !slices.Equal(s.CapDrop, []string{"ALL"}) || s.User == "" || !s.ReadOnly {
		faults = append(faults, "more is allowed than needed")
	}
	if s.StopGracePeriod == nil {
		return append(faults, "no stop_grace_period")
	}
	environ := map[string]string{}
	for name, value := range s.Environment {
		environ[name] = *value
	}
	return append(faults, settingsFaults(t, environ, time.Duration(*s.StopGracePeriod))...)
}

func TestCompose(t *testing.T) {
	project, err := load(t, compose(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, fault := range serviceFaults(t, project.Services["sandbox"]) {
		t.Error(fault)
	}
}

func TestComposeViolated(t *testing.T) {
	good := compose(t)
	for _, c := range []struct{ old, new string }{
		{"healthcheck:", "healthchecks:"},
		{"interval: 30s", "interval: often"},
		{"cap_drop: [ALL]", "cap_drop: ALL"},
		{"cap_drop: [ALL]", "cap_drop: []"},
		{"read_only: true", "read_only: perhaps"},
		{`entrypoint: ["/sbinit", "--"]`, `entrypoint: ["/tini", "--"]`},
		{"restart: unless-stopped", "init: true"},
		{`"/sbinit", "check"`, `"/sbinit", "stats"`},
		{"SBINIT_GUARD", "SBINIT_GUARDS"},
		{"SBINIT_STOP_GRACE: 10s", "SBINIT_STOP_GRACE: soon"},
		{"stop_grace_period: 20s", "stop_grace_period: 10s"},
	} {
		bad := strings.Replace(good, c.old, c.new, 1)
		if bad == good {
			t.Errorf("%q is not there", c.old)
		}
		project, err := load(t, bad)
		if err == nil && len(serviceFaults(t, project.Services["sandbox"])) == 0 {
			t.Errorf("%s: no fault is found", c.new)
		}
	}
}
