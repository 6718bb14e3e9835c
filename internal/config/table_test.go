package config

import (
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/signals"
)

// The defaults of the contract, typed out once more.
func TestDefault(t *testing.T) {
	want := Config{
		Forward:      ForwardGroup,
		StopGrace:    Off,
		ExitGrace:    3 * time.Second,
		OrphanGrace:  5 * time.Second,
		KillGrace:    5 * time.Second,
		StopDelay:    0,
		ScanInterval: time.Second,
		Subreaper:    SubreaperAuto,
		Orphans:      OrphansAbandoned,
		OrphanKeep: []string{"tmux*", "screen", "SCREEN", "zellij", "ssh-agent", "gpg-agent", "dockerd",
			"containerd", "containerd-shim*", "sshd*", "mosh-server", "dtach", "chrome_crashpad*"},
		Wait:      WaitMain,
		StdinEOF:  StdinEOFIgnore,
		Socket:    "/run/sbinit.sock",
		LogLevel:  LevelWarn,
		LogFormat: FormatConsole,
		Terminal: Terminal{
			Lifetime: time.Hour, Idle: 5 * time.Minute, IO: 5 * time.Second, Cleanup: 5 * time.Second,
			DrainLimit: 65536, Descendants: 256, Scan: 4096, Sessions: 16,
		},
	}
	if got := Default(Native); !reflect.DeepEqual(got, want) {
		t.Errorf("Default(Native) = %+v\nwant %+v", got, want)
	}
	if got := mustRun(t, "sbinit true"); !reflect.DeepEqual(got, want) {
		t.Errorf("without options and variables: %+v\nwant %+v", got, want)
	}
}

func TestDocumentedDefaultsAreTheDefaults(t *testing.T) {
	for _, s := range settings {
		c := Default(Native)
		if got := s.get(&c); got != s.standard {
			t.Errorf("%s is %q by default, documented is %q", s.name, got, s.standard)
		}
		with := mustRun(t, "sbinit true", s.name+"="+s.standard)
		if !reflect.DeepEqual(with, c) {
			t.Errorf("%s=%s changes the default configuration: %+v", s.name, s.standard, with)
		}
	}
}

// Every row of every other table sets rows that exist, to values that they take.
func TestTablesAgree(t *testing.T) {
	check := func(where, assignment string) {
		name, value, hasValue := strings.Cut(assignment, "=")
		s := named(name)
		if s == nil {
			t.Errorf("%s sets %s, which is no setting", where, name)
			return
		}
		c := Default(Native)
		if !hasValue {
			return
		}
		if err := s.set(&c, value); err != nil || s.get(&c) != value {
			t.Errorf("%s sets %s: error %v, then it is %q", where, assignment, err, s.get(&c))
		}
	}
	for _, p := range personalities {
		for _, assignment := range p.defaults {
			check(p.names[0], assignment)
		}
	}
	for i := range peers {
		for _, assignment := range peers[i].set {
			check(peers[i].name, assignment)
		}
		for _, v := range peers[i].values {
			for _, assignment := range v.set {
				check(peers[i].name, assignment)
			}
		}
	}
	for i := range options {
		o := &options[i]
		for _, assignment := range o.set {
			check(o.String(), assignment)
		}
		argument := slices.ContainsFunc(o.set, func(a string) bool { return !strings.Contains(a, "=") })
		if o.look == nil && argument != (o.arg != "" || o.add != nil) {
			t.Errorf("%s: a setting without a value goes with an argument, and only with one", o)
		}
		is := 0
		for _, kind := range []bool{len(o.set) > 0, o.look != nil, o.command != CommandRun} {
			if kind {
				is++
			}
		}
		if is != 1 {
			t.Errorf("%s: want one of settings, a view's wish, and a command", o)
		}
		if o.reset {
			check(o.String(), o.set[0]+"="+none)
		}
	}
}

// A person must be able to do by a variable what an option does.
func TestOptionsHaveVariables(t *testing.T) {
	arguments := map[string]string{"A:B": " TERM:INT", "CODE": " 143", "SIGNAL": " KILL"}
	for i := range options {
		o := &options[i]
		if o.command != CommandRun || !o.of.has(Native) {
			continue
		}
		program := " true"
		if o.short == 'P' {
			program = ""
		}
		line := "sbinit -" + string(o.short) + arguments[o.arg] + program
		c := mustRun(t, line)
		var environ []string
		for _, assignment := range o.set {
			name, _, _ := strings.Cut(assignment, "=")
			environ = append(environ, name+"="+effective(c, name))
		}
		again := mustRun(t, "sbinit"+program, environ...)
		if !reflect.DeepEqual(again, c) {
			t.Errorf("%s gives %+v\nbut %q gives %+v", line, c, environ, again)
		}
	}
}

func TestNamesAreUnique(t *testing.T) {
	var names []string
	for _, s := range settings {
		names = append(names, s.name)
		if !strings.HasPrefix(s.name, prefix) || s.help == "" || s.values == "" {
			t.Errorf("%q lacks the prefix, help or values", s.name)
		}
	}
	slices.Sort(names)
	if len(slices.Compact(slices.Clone(names))) != len(names) {
		t.Errorf("a name is there twice: %q", names)
	}
}

// Each personality takes at most one option for a letter or a word, the one that
// is found first, except where rows are meant to follow each other.
func TestOptionsAreUnique(t *testing.T) {
	for p := range personalities {
		seen := map[string]bool{}
		for i := range options {
			o := &options[i]
			if !o.of.has(Personality(p)) {
				continue
			}
			for _, name := range []string{string(o.short), o.long} {
				if name != "" && name != "\x00" && seen[name] {
					t.Errorf("%s has two options %s", Personality(p), name)
				}
				seen[name] = true
			}
		}
	}
}

// Every field of Config belongs to a row: a field that none sets would have no
// variable and would be missing in the log.
func TestEveryFieldHasASetting(t *testing.T) {
	values := map[string]string{
		"SBINIT_FORWARD": "child", "SBINIT_SIGNAL_REWRITE": "TERM=INT", "SBINIT_STOP_GRACE": "1s",
		"SBINIT_EXIT_GRACE": "1s", "SBINIT_EXIT_OK": "1", "SBINIT_SUBREAPER": "on",
		"SBINIT_PARENT_DEATH_SIGNAL": "KILL", "SBINIT_ORPHANS": "report", "SBINIT_ORPHAN_GRACE": "1s",
		"SBINIT_KILL_GRACE": "1s", "SBINIT_ORPHAN_KEEP": "x", "SBINIT_GUARD": "agent", "SBINIT_WAIT": "all", "SBINIT_STDIN_EOF": "stop", "SBINIT_SOCKET": "off",
		"SBINIT_STOP_DELAY": "1s", "SBINIT_SCAN_INTERVAL": "2s", "SBINIT_LOG_LEVEL": "debug",
		"SBINIT_LOG_FORMAT": "json", "SBINIT_WARN_REAPED": "on", "SBINIT_SETSID": "on", "SBINIT_SUSPEND": "on", "SBINIT_PAUSE": "on",
		"SBINIT_TERMINAL_LIFETIME": "1s", "SBINIT_TERMINAL_IDLE": "1s", "SBINIT_TERMINAL_IO_TIMEOUT": "1s",
		"SBINIT_TERMINAL_CLEANUP_TIMEOUT": "1s", "SBINIT_TERMINAL_DRAIN_LIMIT": "1", "SBINIT_TERMINAL_DESCENDANTS": "1",
		"SBINIT_TERMINAL_SCAN": "1", "SBINIT_TERMINAL_SESSIONS": "1", "SBINIT_TERMINAL_ENV": "X", "SBINIT_TERMINAL_USER": "1:1",
	}
	changed := map[string]string{}
	standard := fields(reflect.ValueOf(Default(Native)))
	for _, s := range settings {
		value, ok := values[s.name]
		if !ok {
			t.Errorf("add a value for %s to this test", s.name)
			continue
		}
		c := Default(Native)
		if err := s.set(&c, value); err != nil {
			t.Errorf("%s=%s: %v", s.name, value, err)
		}
		for field, now := range fields(reflect.ValueOf(c)) {
			if reflect.DeepEqual(now, standard[field]) {
				continue
			}
			if other, taken := changed[field]; taken {
				t.Errorf("%s and %s set the same field", s.name, other)
			}
			changed[field] = s.name
		}
	}
	for field := range standard {
		if _, ok := changed[field]; !ok {
			t.Errorf("no setting sets %s", field)
		}
	}
}

// fields are those of a configuration by name, and those of its Terminal likewise.
func fields(v reflect.Value) map[string]any {
	all := map[string]any{}
	for i := range v.NumField() {
		name, field := v.Type().Field(i).Name, v.Field(i)
		if field.Type() != reflect.TypeFor[Terminal]() {
			all[name] = field.Interface()
			continue
		}
		for inner, value := range fields(field) {
			all[name+"."+inner] = value
		}
	}
	return all
}

func TestEffective(t *testing.T) {
	c := Default(Native)
	c.Forward = ForwardChild
	c.StopGrace = 90 * time.Minute
	c.ParentDeathSignal = unix.SIGKILL
	c.OrphanKeep = nil
	var err error
	if c.Rewrite, err = signals.ParseRewrite("TERM=INT,HUP=0"); err != nil {
		t.Fatal(err)
	}
	lines := Effective(c)
	for _, want := range []string{
		"SBINIT_FORWARD=child", "SBINIT_STOP_GRACE=1h30m", "SBINIT_PARENT_DEATH_SIGNAL=SIGKILL",
		"SBINIT_ORPHAN_KEEP=none", "SBINIT_SIGNAL_REWRITE=HUP=0,TERM=INT", "SBINIT_EXIT_OK=none",
		"SBINIT_STOP_DELAY=0", "SBINIT_PAUSE=off",
	} {
		if !slices.Contains(lines, want) {
			t.Errorf("%q is not in %q", want, lines)
		}
	}
	if len(lines) != len(settings) {
		t.Errorf("%d lines for %d settings", len(lines), len(settings))
	}
}

// The environment of the test must not be read: Parse is a pure function.
func TestParseReadsOnlyItsInput(t *testing.T) {
	t.Setenv("SBINIT_FORWARD", "child")
	if os.Getenv("SBINIT_FORWARD") != "child" {
		t.Fatal("the variable is not set")
	}
	if c := mustRun(t, "sbinit true"); c.Forward != ForwardGroup {
		t.Error("the process's own environment was read")
	}
}
