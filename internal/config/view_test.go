package config

import (
	"reflect"
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
		"sbinit doctor --json":                   {CommandDoctor, View{JSON: true, Max: -1, MaxZombies: -1}},
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

// TestViewHelp: a view's help names all that the view takes, and fits a terminal.
func TestViewHelp(t *testing.T) {
	for _, v := range views {
		for _, line := range []string{"sbinit " + v.word + " --help", "sbinit " + v.word + " -h x", "sbinit help " + v.word} {
			if in, _, err := run(line); err != nil || in.Command != CommandHelp || in.Topic != v.word {
				t.Errorf("%s: %+v, %v", line, in, err)
			}
		}
		text := ViewUsage(v.word)
		for _, o := range options {
			takes := strings.Contains(text, "\n  "+o.String()+" ")
			want := false
			for _, c := range o.views {
				want = want || c == v.command
			}
			if takes != want {
				t.Errorf("%s: %s is there: %v", v.word, &o, takes)
			}
		}
		for line := range strings.Lines(text) {
			if len(line) > width+1 {
				t.Errorf("%d columns: %q", len(line), line)
			}
		}
		if !strings.Contains(Native.Usage(), "\n  sbinit "+v.word+" ") {
			t.Errorf("`sbinit help` does not list %s", v.word)
		}
	}
}

func TestDoctorIsACommandOfPID1(t *testing.T) {
	in, _, err := Parse(Input{Args: []string{"sbinit", "doctor", "--json"}, PID1: true})
	if err != nil || in.Command != CommandDoctor || !in.View.JSON {
		t.Errorf("%+v, %v", in, err)
	}
}
