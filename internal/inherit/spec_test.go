package inherit

import (
	"slices"
	"testing"
)

// TestLookup: the first of two counts, as in getenv(3).
func TestLookup(t *testing.T) {
	env := []string{"PATHS=/x", "PATH=/a", "PATH=/b", "EMPTY=", "NOVALUE"}
	for name, want := range map[string]string{"PATH": "/a", "EMPTY": "", "PATHS": "/x"} {
		if got, ok := Lookup(env, name); !ok || got != want {
			t.Errorf("%s: %q, %v", name, got, ok)
		}
	}
	for _, name := range []string{"NOVALUE", "PAT", ""} {
		if got, ok := Lookup(env, name); ok {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestWithout(t *testing.T) {
	env := []string{"A=1", "AB=2", "A=3", "A"}
	if got := Without(env, "A"); !slices.Equal(got, []string{"AB=2", "A"}) || env[0] != "A=1" {
		t.Errorf("%q, and the environment is now %q", got, env)
	}
}
