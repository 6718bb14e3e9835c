package config

import (
	"strings"
	"testing"
)

// TestMisread: a command where it is none, or with a typing error, is pointed out, and so
// is a command line in one word.
func TestMisread(t *testing.T) {
	const (
		below   = "as PID 1 only help, version, doctor are commands: `sbinit -- sbinit %s ...` runs another one below it"
		quoted  = "its words have to be arguments of their own, without quotes around all of them; or sh -c '...'"
		leave   = "after -- it is a program; for the command leave out --: sbinit %s"
		leave1  = "after -- it is a program; for the command leave out --: docker run --entrypoint /sbinit IMAGE %s"
		command = "`sbinit %s` is a command"
	)
	with := func(text, word string) string { return strings.ReplaceAll(text, "%s", word) }
	for _, c := range []struct {
		args    []string
		program int
		pid1    bool
		want    string
	}{
		{[]string{"sbinit", "guard", "x"}, 2, true, with(below, "guard")},
		{[]string{"/sbinit", "--", "ps"}, 1, true, with(below, "ps")},
		{[]string{"/sbinit", "--", "version"}, 1, true, with(leave1, "version")},
		{[]string{"/sbinit", "--", "doctor", "--json"}, 2, true, with(leave1, "doctor")},
		{[]string{"/sbinit", "-v", "--", "vresion"}, 1, true, "did you mean version? " + with(leave1, "version")},
		{[]string{"sbinit", "--", "ps"}, 1, false, with(leave, "ps")},
		{[]string{"sbinit", "--", "gaurd", "x"}, 2, false, "did you mean guard? " + with(leave, "guard")},
		{[]string{"sbinit", "gaurd"}, 1, false, with(command, "guard")},
		{[]string{"sbinit", "gaurd"}, 1, true, "did you mean guard? " + with(below, "guard")},
		{[]string{"sbinit", "versoin"}, 1, true, with(command, "version")},
		{[]string{"sbinit", "/bin/absent"}, 1, false, ""},
		{[]string{"sbinit", "--", "--", "true"}, 2, true, "there are two --: leave one out"},
		{[]string{"sbinit", "echo hello world"}, 1, false, quoted},
		{[]string{"tini", "echo hello world"}, 1, true, quoted},
		{[]string{"docker-init", "--", "version"}, 1, true, ""}, // by a peer's name nothing is a command
		{[]string{"tini", "gaurd"}, 1, false, ""},
	} {
		if got := Misread(c.args, c.program, c.pid1); got != c.want {
			t.Errorf("%q, PID 1 %v: %q, want %q", c.args, c.pid1, got, c.want)
		}
	}
}
