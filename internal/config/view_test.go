package config

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestViews(t *testing.T) {
	for line, want := range map[string]struct {
		command Command
		view    View
	}{
		"sbinit ps":                              {CommandPS, View{Max: -1, MaxZombies: -1}},
		"sbinit ps --json --pss":                 {CommandPS, View{JSON: true, PSS: true, Max: -1, MaxZombies: -1}},
		"sbinit orphans --count --max 0":         {CommandOrphans, View{Count: true, MaxZombies: -1}},
		"sbinit orphans --match a* --match=node": {CommandOrphans, View{Match: []string{"a*", "node"}, Max: -1, MaxZombies: -1}},
		"sbinit sessions --js":                   {CommandSessions, View{JSON: true, Max: -1, MaxZombies: -1}},
		"sbinit stats --prometheus":              {CommandStats, View{Prometheus: true, Max: -1, MaxZombies: -1}},
		"sbinit check --max-orphans 3":           {CommandCheck, View{Max: 3, MaxZombies: -1}},
		"sbinit check --max-zombies=20 --":       {CommandCheck, View{Max: -1, MaxZombies: 20}},
		"sbinit ps -w":                           {CommandPS, View{Wide: true, Max: -1, MaxZombies: -1}},
	} {
		in, warnings, err := run(line, "SBINIT_SOCKET=/run/x", "SBINIT_FORWARD=wrong", "SBINIT_WRONG=1")
		if err != nil || len(warnings) > 0 || in.Command != want.command || !reflect.DeepEqual(in.View, want.view) {
			t.Errorf("%s: %+v, error %v, warnings %v", line, in, err, warnings)
		}
		if in.Config.Socket != "/run/x" {
			t.Errorf("%s: socket %q", line, in.Config.Socket)
		}
	}
}

func TestViewsAreRefused(t *testing.T) {
	for line, want := range map[string]string{
		"sbinit ps x":                     `ps "x": takes no argument here`,
		"sbinit ps --count":               "--count: unknown option",
		"sbinit ps -v":                    "-v: unknown option",
		"sbinit orphans --max -1":         `--max "-1": want a number from 0`,
		"sbinit orphans --max":            "--max: wants N after it",
		"sbinit orphans --match a[":       `--match "a[": "a[" is a malformed glob`,
		"sbinit orphans --match /bin/sh":  "base name of a program",
		"sbinit check --max 1":            "--max: may be --max-orphans or --max-zombies",
		"sbinit check --max-orphans many": "want a number from 0",
		"sbinit doctor --prometheus":      "--prometheus: unknown option",
		"sbinit --json x":                 "--json: unknown option", // none of the init's
	} {
		if _, _, err := run(line); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", line, err, want)
		}
	}
	if _, _, err := run("sbinit ps", "SBINIT_SOCKET=here"); err == nil || !strings.Contains(err.Error(), "want an absolute path") {
		t.Errorf("a wrong path: %v", err)
	}
}

// TestCommandHelp: a command's help names all options that the command takes, settings that
// there are, and fits a terminal.
func TestCommandHelp(t *testing.T) {
	for _, word := range commandWords() {
		for _, line := range []string{"sbinit " + word + " --help", "sbinit " + word + " -h x", "sbinit help " + word} {
			if in, _, err := run(line); err != nil || in.Command != CommandHelp || in.Topic != word {
				t.Errorf("%s: %+v, %v", line, in, err)
			}
		}
		text := CommandUsage(word)
		for i := range options {
			o := &options[i]
			lists := slices.ContainsFunc(strings.Split(text, "\n"), func(line string) bool {
				return strings.HasPrefix(line, "  "+o.String()+" ") && strings.HasSuffix(line, " "+o.help)
			})
			if lists != taken(word, o) {
				t.Errorf("%s: %s is there: %v", word, o, lists)
			}
		}
		for line := range strings.Lines(text) {
			if len(line) > width+1 {
				t.Errorf("%d columns: %q", len(line), line)
			}
		}
		if !strings.HasPrefix(text, "usage: sbinit "+word) || !strings.Contains(text, "\nexample: ") && !strings.Contains(text, "\nexit status: ") {
			t.Errorf("%s: %s", word, text)
		}
		for _, name := range regexp.MustCompile(`SBINIT_\w+`).FindAllString(text, -1) {
			if named(name) == nil && name != keepVariable && !strings.HasSuffix(name, "_") {
				t.Errorf("%s: there is no %s", word, name)
			}
		}
		if word != "help" && !strings.Contains(Native.Usage(), "  sbinit "+word+" ") {
			t.Errorf("`sbinit help` does not list %s", word)
		}
	}
}

// taken says whether an option is one of a command's.
func taken(word string, o *option) bool {
	switch v := viewOf(word); {
	case v != nil:
		return slices.Contains(o.views, v.command)
	case word == "guard":
		return o.guard
	case word == "terminal" || word == "shell":
		return o.terminal
	}
	return o.command == CommandHelp
}

// TestExamine: doctor reads the settings as the init would, and nothing keeps it from
// running.
func TestExamine(t *testing.T) {
	in, warnings, err := run("sbinit doctor --json", "SBINIT_ORPHANS=foo", "SBINIT_SOCKET=here", "TINI_VERBOSITY=9", "SBINIT_ORPHAN=keep")
	if err != nil || len(warnings) > 0 || in.Command != CommandDoctor || !in.View.JSON {
		t.Fatalf("%+v, %v, %v", in, warnings, err)
	}
	const faults = "TINI_VERBOSITY=\"9\": want 0, 1, 2 or 3\nSBINIT_ORPHANS=\"foo\": want abandoned or terminate or report or keep\n" +
		"SBINIT_SOCKET=\"here\": want an absolute path of at most 107 bytes such as /run/sbinit.sock, or off"
	if got := in.View.Faults.Error(); got != faults {
		t.Errorf("%s\nwant\n%s", got, faults)
	}
	if w := in.View.Warnings; len(w) != 1 || w[0].String() != `SBINIT_ORPHAN="keep": unknown, has no effect; did you mean SBINIT_ORPHANS?` {
		t.Errorf("%v", w)
	}
	in, _, _ = run("sbinit doctor", "SBINIT_WAIT=all", "SBINIT_ORPHANS=report", "SBINIT_SOCKET=/x")
	if len(in.View.Faults) != 1 || in.View.Faults[0].Name != "SBINIT_ORPHANS" || in.Config.Socket != "/x" {
		t.Errorf("%+v", in)
	}
}

func TestDoctorIsACommandOfPID1(t *testing.T) {
	in, _, err := Parse(Input{Args: []string{"sbinit", "doctor", "--json"}, PID1: true})
	if err != nil || in.Command != CommandDoctor || !in.View.JSON {
		t.Errorf("%+v, %v", in, err)
	}
}
