package config

import (
	"errors"
	"strings"
	"testing"
)

// run parses a command line, given as words, in an environment.
func run(line string, environ ...string) (Invocation, []Warning, error) {
	return Parse(Input{Args: strings.Fields(line), Environ: environ})
}

// mustRun is for a command line without faults and warnings.
func mustRun(t *testing.T, line string, environ ...string) Config {
	t.Helper()
	inv, warnings, err := run(line, environ...)
	if err != nil || len(warnings) > 0 {
		t.Fatalf("%s %q: error %v, warnings %v", line, environ, err, warnings)
	}
	return inv.Config
}

// faultsOf insists on an error that is a Faults.
func faultsOf(t *testing.T, err error) Faults {
	t.Helper()
	if err == nil {
		t.Fatal("want an error")
	}
	var faults Faults
	if !errors.As(err, &faults) || len(faults) == 0 {
		t.Fatalf("%T is no Faults: %v", err, err)
	}
	return faults
}

func effective(c Config, name string) string {
	for _, line := range Effective(c) {
		if value, ok := strings.CutPrefix(line, name+"="); ok {
			return value
		}
	}
	return "no such setting: " + name
}
