package config

import (
	"slices"
	"strings"
	"testing"
)

func TestCalled(t *testing.T) {
	for argv0, want := range map[string]Personality{
		"sbinit": Native, "/sbinit": Native, "": Native, "init": Native, "tinier": Native, "/tini/x": Native,
		"tini": Tini, "/usr/bin/tini": Tini, "/sbin/docker-init": Tini, "docker-init": Tini,
		"dumb-init": DumbInit, "/usr/local/bin/dumb-init": DumbInit,
		"catatonit": Catatonit, "/catatonit": Catatonit, "/run/podman-init": Catatonit,
	} {
		inv, _, err := Parse(Input{Args: []string{argv0, "true"}})
		if err != nil || inv.Personality != want {
			t.Errorf("called %q it is %s, %v, want %s", argv0, inv.Personality, err, want)
		}
	}
}

func TestPersonalityDefaults(t *testing.T) {
	for p, want := range map[Personality][]string{
		Native: nil,
		Tini:   {"SBINIT_EXIT_GRACE=0", "SBINIT_FORWARD=child", "SBINIT_ORPHANS=keep", "SBINIT_SOCKET=off", "SBINIT_SUBREAPER=off"},
		DumbInit: {"SBINIT_EXIT_GRACE=0", "SBINIT_LOG_LEVEL=error", "SBINIT_ORPHANS=keep", "SBINIT_SETSID=on",
			"SBINIT_SOCKET=off", "SBINIT_SUBREAPER=off", "SBINIT_SUSPEND=on"},
		Catatonit: {"SBINIT_EXIT_GRACE=0", "SBINIT_FORWARD=child", "SBINIT_LOG_LEVEL=error", "SBINIT_ORPHANS=keep", "SBINIT_SOCKET=off"},
	} {
		if got := differences(Default(p), Default(Native)); !slices.Equal(got, want) {
			t.Errorf("%s differs by %q, want %q", p, got, want)
		}
	}
}

// Only what sbinit itself says about the main program is translated.
func TestRefusal(t *testing.T) {
	for p, want := range map[Personality][3]int{
		Native: {125, 126, 127}, Tini: {1, 126, 127}, DumbInit: {1, 2, 2}, Catatonit: {1, 1, 1},
	} {
		if got := [3]int{p.Refusal(125), p.Refusal(126), p.Refusal(127)}; got != want {
			t.Errorf("%s: %v, want %v", p, got, want)
		}
	}
}

func TestStream(t *testing.T) {
	for p, want := range map[Personality][2]int{Native: {1, 1}, Tini: {1, 1}, DumbInit: {2, 2}, Catatonit: {2, 1}} {
		if got := [2]int{p.Stream(CommandHelp), p.Stream(CommandVersion)}; got != want {
			t.Errorf("%s: help and version on %v, want %v", p, got, want)
		}
	}
}

// Each name takes the options that the program of that name takes.
func TestPersonalityOptions(t *testing.T) {
	takes := map[string]string{
		"sbinit":    "gcresphwvPlLV",
		"tini":      "speghwvl",
		"dumb-init": "crvVh",
		"catatonit": "ghLPV",
	}
	arguments := map[rune]string{'p': "TERM", 'e': "1", 'r': "15:2"}
	for name, letters := range takes {
		for _, letter := range "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" {
			args := []string{name, "-" + string(letter)}
			if argument, ok := arguments[letter]; ok {
				args = append(args, argument)
			}
			if letter != 'P' {
				args = append(args, "true")
			}
			_, _, err := Parse(Input{Args: args})
			if ok := err == nil; ok != strings.ContainsRune(letters, letter) {
				t.Errorf("%q: %v", args, err)
			}
		}
	}
}

// dockerVersion reads a version line as docker does: a commit after " - git.", or
// else a version after "tini version ".
func dockerVersion(line string) (version string, ok bool) {
	head, tail, _ := strings.Cut(strings.TrimSpace(line), " - ")
	if commit, ok := strings.CutPrefix(tail, "git."); ok {
		return commit, len(commit) == 40 // older ones cut it to the length of their own
	}
	return strings.CutPrefix(head, "tini version ")
}

func TestVersion(t *testing.T) {
	const commit = "0123456789abcdef0123456789abcdef01234567"
	for p, want := range map[Personality]string{
		Native:    "sbinit 1.2.3 (go1.26.8) - git." + commit,
		Tini:      "tini version 0.19.0 (sbinit 1.2.3)",
		DumbInit:  "dumb-init v1.2.5 (sbinit 1.2.3)",
		Catatonit: "tini version 0.2.1_catatonit (sbinit 1.2.3)",
	} {
		if got := p.Version("1.2.3", commit, "go1.26.8"); got != want {
			t.Errorf("%s: %q, want %q", p, got, want)
		}
	}
	for _, p := range []Personality{Native, Tini, Catatonit} {
		version, ok := dockerVersion(p.Version("1.2.3", commit, "go1.26.8") + "\n")
		if !ok || p != Native && !strings.HasPrefix(version, "0.") {
			t.Errorf("docker reads %q as %q, %v", p.Version("1.2.3", commit, "go1.26.8"), version, ok)
		}
	}
}
