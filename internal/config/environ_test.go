package config

import (
	"strings"
	"testing"
)

func TestStrangers(t *testing.T) {
	for _, c := range []struct{ variable, says string }{
		{"SBINIT_ORPHAN=keep", `SBINIT_ORPHAN="keep": unknown, has no effect; did you mean SBINIT_ORPHANS?`},
		{"SBINIT_KILLGRACE=1s", "did you mean SBINIT_KILL_GRACE?"},
		{"SBINIT_FROWARD=child", "did you mean SBINIT_FORWARD?"},
		{"SBINIT_STOPGRACE=wrong", "did you mean SBINIT_STOP_GRACE?"},
		{"SBINIT_KEPE=1", "did you mean SBINIT_KEEP?"},
		{"SBINIT_SERVICE_HOST=10.0.0.1", "unknown, has no effect; `sbinit help env` lists all"},
		{"SBINIT_=1", "unknown"},
		{"SBINIT_forward=1", "unknown"},
		{"SBINIT_SOKET=off", "did you mean SBINIT_SOCKET?"},
		{"SBINIT_TERMINAL_LIFETIMES=1h", "did you mean SBINIT_TERMINAL_LIFETIME?"},
		{"SBINIT_GUARDS=x", "unknown"},
		{"SBINIT_KEEP=1", "none of them will be ended"},
		{"SBINIT_KEEP=yes", "only 1 exempts"},
		{"SBINIT_KEEP=0", "only 1 exempts"},
	} {
		inv, warnings, err := run("sbinit true", strings.Fields(c.variable)...)
		if err != nil || len(inv.Argv) != 1 {
			t.Errorf("%s: %v: a warning is no fault", c.variable, err)
			continue
		}
		name, _, _ := strings.Cut(c.variable, "=")
		if len(warnings) != 1 || warnings[0].Name != name || !strings.Contains(warnings[0].String(), c.says) {
			t.Errorf("%s: warnings %v, want %s", c.variable, warnings, c.says)
		}
	}
}

func TestNoStrangers(t *testing.T) {
	_, warnings, err := run("sbinit true",
		"PATH=/bin", "XSBINIT_FOO=1", "SBINITFOO=1", "sbinit_foo=1", "SBINIT_FOO", "SBINIT_BAR=", "SBINIT_KEEP=",
		"SBINIT_SOCKET=", "SBINIT_TERMINAL_IDLE= ", "TINI_FOO=1", "=SBINIT_FOO=1")
	if err != nil || len(warnings) > 0 {
		t.Errorf("error %v, warnings %v", err, warnings)
	}
}

func TestStrangerGivenTwiceIsOneWarning(t *testing.T) {
	_, warnings, _ := run("sbinit true", "SBINIT_FOO=1", "SBINIT_FOO=2")
	if len(warnings) != 1 || warnings[0].Value != "1" {
		t.Errorf("warnings %v", warnings)
	}
}

// A value may be anything, also a file or a terminal's escape sequence.
func TestValuesInMessages(t *testing.T) {
	_, _, err := Parse(Input{
		Args:    []string{"sbinit", "true"},
		Environ: []string{"SBINIT_FORWARD=\x1b[2J\n" + strings.Repeat("x", 1000)},
	})
	faultsOf(t, err)
	if text := err.Error(); strings.ContainsAny(text, "\x1b\n") || len(text) > 200 {
		t.Errorf("%d bytes: %q", len(text), text)
	}
}
