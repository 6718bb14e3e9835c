package config

import (
	"strings"
	"testing"
)

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"a", "", 1}, {"", "abc", 3}, {"abc", "abc", 0},
		{"grace", "grce", 1}, {"grace", "graace", 1}, {"grace", "grale", 1}, {"grace", "garce", 1},
		{"kitten", "sitting", 3}, {"ca", "abc", 3},
	} {
		if got := distance(c.a, c.b); got != c.want {
			t.Errorf("distance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
		if got := distance(c.b, c.a); got != c.want {
			t.Errorf("distance(%q, %q) = %d, want %d", c.b, c.a, got, c.want)
		}
	}
}

func TestNearest(t *testing.T) {
	known := []string{"ORPHANS", "ORPHAN_GRACE", "ORPHAN_KEEP", "KILL_GRACE", "WAIT"}
	for word, want := range map[string]string{
		"ORPHAN": "ORPHANS", "ORPHANS_GRACE": "ORPHAN_GRACE", "KILLGRACE": "KILL_GRACE", "WIAT": "WAIT",
		"SOCKET": "", "": "", "W": "", "HOST": "",
		strings.Repeat("ORPHANS", 20): "",
	} {
		if got, ok := nearest(word, known); got != want || ok != (want != "") {
			t.Errorf("nearest(%q) = %q, %v, want %q", word, got, ok, want)
		}
	}
	long := strings.Repeat("x", 65) // a word of any length costs no more than one of 64
	if got, ok := nearest(long, []string{long}); ok {
		t.Errorf("nearest(%q) = %q", long, got)
	}
}
