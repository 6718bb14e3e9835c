package config

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestValues(t *testing.T) {
	for _, c := range []struct{ variable, becomes string }{
		{"SBINIT_FORWARD=child", "child"},
		{"SBINIT_FORWARD=CHILD", "child"},
		{"SBINIT_FORWARD= child\r\n", "child"},
		{"SBINIT_FORWARD=", "group"},
		{"SBINIT_FORWARD=  ", "group"},
		{"SBINIT_SUBREAPER=on", "on"},
		{"SBINIT_SUBREAPER=true", "on"},
		{"SBINIT_SUBREAPER=0", "off"},
		{"SBINIT_SUBREAPER=auto", "auto"},
		{"SBINIT_WARN_REAPED=1", "on"},
		{"SBINIT_WARN_REAPED=no", "off"},
		{"SBINIT_SETSID=Yes", "on"},
		{"SBINIT_ORPHANS=terminate", "terminate"},
		{"SBINIT_ORPHANS=report", "report"},
		{"SBINIT_ORPHANS=keep", "keep"},
		{"SBINIT_ORPHANS=abandoned", "abandoned"},
		{"SBINIT_WAIT=all", "all"},
		{"SBINIT_STDIN_EOF=stop", "stop"},
		{"SBINIT_SOCKET=/run/my.sock", "/run/my.sock"},
		{"SBINIT_SOCKET=Off", "off"},
		{"SBINIT_SOCKET=false", "off"}, // YAML's off
		{"SBINIT_LOG_LEVEL=debug", "debug"},
		{"SBINIT_LOG_FORMAT=json", "json"},
		{"SBINIT_STOP_GRACE=off", "off"},
		{"SBINIT_STOP_GRACE=OFF", "off"},
		{"SBINIT_STOP_GRACE=0", "0"},
		{"SBINIT_STOP_GRACE=0s", "0"},
		{"SBINIT_STOP_GRACE=1500ms", "1.5s"},
		{"SBINIT_STOP_GRACE=1.5h", "1h30m"},
		{"SBINIT_STOP_GRACE=24h", "24h"},
		{"SBINIT_STOP_GRACE=10m", "10m"},
		{"SBINIT_STOP_GRACE=1h0m10s", "1h0m10s"},
		{"SBINIT_EXIT_GRACE=0", "0"},
		{"SBINIT_ORPHAN_GRACE=0", "0"},
		{"SBINIT_KILL_GRACE=0", "0"},
		{"SBINIT_STOP_DELAY=0", "0"},
		{"SBINIT_SCAN_INTERVAL=100ms", "100ms"},
		{"SBINIT_EXIT_OK=143, 130,143", "130,143"},
		{"SBINIT_EXIT_OK=0,255", "0,255"},
		{"SBINIT_EXIT_OK=none", "none"},
		{"SBINIT_PARENT_DEATH_SIGNAL=term", "SIGTERM"},
		{"SBINIT_PARENT_DEATH_SIGNAL=9", "SIGKILL"},
		{"SBINIT_PARENT_DEATH_SIGNAL=none", "none"},
		{"SBINIT_SIGNAL_REWRITE=TERM=INT, HUP=0", "HUP=0,TERM=INT"},
		{"SBINIT_SIGNAL_REWRITE=none", "none"},
		{"SBINIT_ORPHAN_KEEP=tmux*, screen", "tmux*,screen"},
		{"SBINIT_ORPHAN_KEEP=[st]mux", "[st]mux"},
		{"SBINIT_ORPHAN_KEEP=none", "none"},
		{"SBINIT_ORPHAN_KEEP=+", standardKeep},
		{"SBINIT_ORPHAN_KEEP=+watchman,tup", standardKeep + ",watchman,tup"},
		{"SBINIT_ORPHAN_KEEP=+ watchman", standardKeep + ",watchman"},
	} {
		inv, warnings, err := Parse(Input{Args: []string{"sbinit", "true"}, Environ: []string{c.variable}})
		if err != nil || len(warnings) > 0 {
			t.Errorf("%q: error %v, warnings %v", c.variable, err, warnings)
			continue
		}
		name, _, _ := strings.Cut(c.variable, "=")
		if got := effective(inv.Config, name); got != c.becomes {
			t.Errorf("%q becomes %q, want %q", c.variable, got, c.becomes)
		}
	}
}

// TestBlankInName: names that somebody may have meant to separate by blanks.
func TestBlankInName(t *testing.T) {
	for value, want := range map[string]bool{
		"a b": true, "a,b c,d": true, "a\tb": true, "+a b": true,
		"a": false, "a, b": false, "a ,b": false, "a , b,  c": false, "tmux: server": false, "+ a": false, "none": false,
	} {
		for _, name := range []string{"SBINIT_GUARD", "SBINIT_ORPHAN_KEEP"} {
			_, warnings, err := run("sbinit true", name+"="+value)
			if err != nil || len(warnings) > 1 || len(warnings) == 1 != want {
				t.Errorf("%s=%q: %v, %v", name, value, warnings, err)
			}
			if want && !strings.HasPrefix(warnings[0].String(), name+`="`) {
				t.Error(warnings[0])
			}
		}
	}
}

// Each fault names the variable, the value and what would be right.
func TestWrongValues(t *testing.T) {
	for _, c := range []struct{ variable, says string }{
		{"SBINIT_FORWARD=grop", "want group or child; did you mean group?"},
		{"SBINIT_FORWARD=everybody", "want group or child"},
		{"SBINIT_FORWARD=none", "want group or child"},
		{"SBINIT_SUBREAPER=maybe", "want auto or on or off"},
		{"SBINIT_WARN_REAPED=2", "want on or off"},
		{"SBINIT_SETSID=auto", "want on or off"},
		{"SBINIT_PAUSE=infra", "want on or off"},
		{"SBINIT_ORPHANS=kill", "want abandoned or terminate or report or keep"},
		{"SBINIT_ORPHANS=keeps", "did you mean keep?"},
		{"SBINIT_WAIT=any", "want main or all"},
		{"SBINIT_STDIN_EOF=1", "want ignore or stop"},
		{"SBINIT_SOCKET=on", "want an absolute path of at most 107 bytes"},
		{"SBINIT_SOCKET=sbinit.sock", "want an absolute path"},
		{"SBINIT_SOCKET=/" + strings.Repeat("x", 107), "or off"},
		{"SBINIT_LOG_LEVEL=warning", "want error or warn or info or debug"},
		{"SBINIT_LOG_LEVEL=inf", "did you mean info?"},
		{"SBINIT_LOG_FORMAT=jsno", "did you mean json?"},

		{"SBINIT_STOP_GRACE=5", "0 (at once) or off (never); did you mean 5s?"},
		{"SBINIT_STOP_GRACE=false", `did you mean off? YAML needs it in quotes: "off"`},
		{"SBINIT_STOP_GRACE=never", "want a duration such as 1500ms or 5s, 0 (at once) or off (never)"},
		{"SBINIT_STOP_GRACE=-1s", "not a negative one"},
		{"SBINIT_STOP_GRACE=-1ns", "not a negative one"}, // the number of Off
		{"SBINIT_STOP_GRACE=-1", "want a duration"},
		{"SBINIT_STOP_GRACE=25h", "want at most 24h, or off (never)"},
		{"SBINIT_STOP_GRACE=99999999999h", "want a duration"},
		{"SBINIT_EXIT_GRACE=off", "cannot be off: the container's end needs a bound"},
		{"SBINIT_EXIT_GRACE=25h", "want at most 24h"},
		{"SBINIT_EXIT_GRACE=3", "want a duration such as 1500ms or 5s, or 0 (at once); did you mean 3s?"},
		{"SBINIT_ORPHAN_GRACE=off", "SBINIT_ORPHANS=keep"},
		{"SBINIT_ORPHAN_GRACE=5sec", "want a duration"},
		{"SBINIT_KILL_GRACE=off", "SBINIT_ORPHANS=keep"},
		{"SBINIT_KILL_GRACE=1d", "want a duration"},
		{"SBINIT_STOP_DELAY=off", "0 is no delay"},
		{"SBINIT_STOP_DELAY=-5s", "not a negative one"},
		{"SBINIT_SCAN_INTERVAL=0", "want at least 100ms"},
		{"SBINIT_SCAN_INTERVAL=99ms", "want at least 100ms"},
		{"SBINIT_SCAN_INTERVAL=off", "cannot be off"},
		{"SBINIT_SCAN_INTERVAL=1", "want a duration such as 1500ms or 5s; did you mean 1s?"},

		{"SBINIT_EXIT_OK=256", "exit codes from 0 to 255"},
		{"SBINIT_EXIT_OK=-1", "exit codes from 0 to 255"},
		{"SBINIT_EXIT_OK=143,", "exit codes from 0 to 255"},
		{"SBINIT_EXIT_OK=143 130", "such as 143,130"},
		{"SBINIT_EXIT_OK=0x8f", "exit codes from 0 to 255"},
		{"SBINIT_PARENT_DEATH_SIGNAL=TREM", "want a signal name such as TERM"},
		{"SBINIT_PARENT_DEATH_SIGNAL=0", "want a signal name such as TERM"},
		{"SBINIT_SIGNAL_REWRITE=TERM", "want SIGNAL=SIGNAL"},
		{"SBINIT_SIGNAL_REWRITE=TERM:INT", "want SIGNAL=SIGNAL"},
		{"SBINIT_SIGNAL_REWRITE=KILL=TERM,X=INT", `"KILL": cannot be caught, so it cannot be rewritten; it can be ` +
			`the right side only; "X": want a signal name`},
		{"SBINIT_SIGNAL_REWRITE=TERM=INT,TERM=HUP", "twice"},
		{"SBINIT_ORPHAN_KEEP=tmux,,screen", "empty name"},
		{"SBINIT_ORPHAN_KEEP=tmux,", "empty name"},
		{"SBINIT_ORPHAN_KEEP=+tmux,", "empty name"},
		{"SBINIT_ORPHAN_KEEP=a[", `"a[" is a malformed glob`},
		{"SBINIT_ORPHAN_KEEP=ok,[]", `"[]" is a malformed glob`},
		{`SBINIT_ORPHAN_KEEP=x\`, "malformed glob"},
		{"SBINIT_ORPHAN_KEEP=/usr/bin/tmux", "base name of a program"},
		{"SBINIT_TERMINAL_LIFETIME=0", "want at least 1ms"},
		{"SBINIT_TERMINAL_IDLE=5", "or off (never); did you mean 5s?"},
		{"SBINIT_TERMINAL_IO_TIMEOUT=off", "cannot be off: a caller that stopped reading"},
		{"SBINIT_TERMINAL_CLEANUP_TIMEOUT=off", "cannot be off"},
		{"SBINIT_TERMINAL_DRAIN_LIMIT=-1", "want a number of bytes"},
		{"SBINIT_TERMINAL_DRAIN_LIMIT=64K", "want a number of bytes"},
		{"SBINIT_TERMINAL_DRAIN_LIMIT=KiB", "want a number of bytes"},
		{"SBINIT_TERMINAL_DRAIN_LIMIT=17MiB", "at most 16MiB"},
		{"SBINIT_TERMINAL_DRAIN_LIMIT=4294967295MiB", "at most 16MiB"},
		{"SBINIT_TERMINAL_DESCENDANTS=0", "want a number from 1 to 4194304"},
		{"SBINIT_TERMINAL_DESCENDANTS=4194305", "want a number from 1 to 4194304"},
		{"SBINIT_TERMINAL_SCAN=1.5", "want a number from 1"},
		{"SBINIT_TERMINAL_SESSIONS=4097", "want a number from 1 to 4096"},
		{"SBINIT_TERMINAL_ENV=EDITOR,,X", "no variable's name"},
		{"SBINIT_TERMINAL_ENV=A=b", "no variable's name"},
		{"SBINIT_TERMINAL_ENV=LC_*", "no variable's name"},
		{"SBINIT_TERMINAL_ENV=9", "no variable's name"},
		{"SBINIT_TERMINAL_USER=root", "want two numbers such as 1000:1000"},
		{"SBINIT_TERMINAL_USER=1000", "want two numbers"},
		{"SBINIT_TERMINAL_USER=1000:", "want two numbers"},
		{"SBINIT_TERMINAL_USER=-1:0", "want two numbers"},
		{"SBINIT_TERMINAL_USER=4294967295:0", "want two numbers"},
	} {
		_, _, err := Parse(Input{Args: []string{"sbinit", "true"}, Environ: []string{c.variable}})
		faults := faultsOf(t, err)
		if len(faults) != 1 {
			t.Errorf("%s: %d faults: %v", c.variable, len(faults), faults)
		}
		name, value, _ := strings.Cut(c.variable, "=")
		if faults[0].Name != name || faults[0].Value != value {
			t.Errorf("%s: the fault names %q, %q", c.variable, faults[0].Name, faults[0].Value)
		}
		if text := err.Error(); !strings.HasPrefix(text, name+"="+quote(value)+": ") || !strings.Contains(text, c.says) {
			t.Errorf("%s: %s\nwant in it: %s", c.variable, text, c.says)
		}
	}
}

// A wrong value leaves the setting as it was, so that later checks do not report
// what follows from it.
func TestWrongValueChangesNothing(t *testing.T) {
	for _, s := range settings {
		c := Default(Native)
		before := s.get(&c)
		if err := s.set(&c, "[:wrong"); err == nil {
			t.Errorf("%s takes [:wrong", s.name)
		}
		if after := s.get(&c); after != before {
			t.Errorf("%s is %q after a wrong value, was %q", s.name, after, before)
		}
	}
}

func TestExitCodes(t *testing.T) {
	codes, err := parseExitCodes("0,63,64,255")
	if err != nil {
		t.Fatal(err)
	}
	for code := -2; code <= 300; code++ {
		want := code == 0 || code == 63 || code == 64 || code == 255
		if codes.Has(code) != want {
			t.Errorf("Has(%d) = %v", code, codes.Has(code))
		}
	}
}

func FuzzDuration(f *testing.F) {
	for _, seed := range []string{"0", "off", "5", "5s", "1500ms", "-1ns", "1h", "24h", "24h1ns", "1h0m0s", "100ms", "+1s", ".5s"} {
		f.Add(seed)
	}
	kinds := []limits{{}, {off: true}, {least: 100 * time.Millisecond}}
	f.Fuzz(func(t *testing.T, value string) {
		for _, l := range kinds {
			d, err := parseDuration(value, l)
			if err != nil {
				continue
			}
			if d == Off && !l.off || d != Off && (d < l.least || d > longest) {
				t.Errorf("%q gives %v, limits %+v", value, d, l)
			}
			again, err := parseDuration(formatDuration(d), l)
			if err != nil || again != d {
				t.Errorf("%q gives %v, written %q, which gives %v, %v", value, d, formatDuration(d), again, err)
			}
		}
	})
}

func TestNamesOfValues(t *testing.T) {
	c := mustRun(t, "sbinit true", "SBINIT_FORWARD=child", "SBINIT_SUBREAPER=off", "SBINIT_ORPHANS=report",
		"SBINIT_STDIN_EOF=stop", "SBINIT_LOG_LEVEL=info", "SBINIT_LOG_FORMAT=json")
	got := []string{c.Forward.String(), c.Subreaper.String(), c.Orphans.String(), c.Wait.String(),
		c.StdinEOF.String(), c.LogLevel.String(), c.LogFormat.String()}
	if want := []string{"child", "off", "report", "main", "stop", "info", "json"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestTerminalValues(t *testing.T) {
	c := mustRun(t, "sbinit true", "SBINIT_TERMINAL_LIFETIME=1ms", "SBINIT_TERMINAL_IDLE=off",
		"SBINIT_TERMINAL_DRAIN_LIMIT=1MiB", "SBINIT_TERMINAL_DESCENDANTS=4194304", "SBINIT_TERMINAL_SCAN=1",
		"SBINIT_TERMINAL_ENV=EDITOR, _x9", "SBINIT_TERMINAL_USER=1000:4294967294")
	want := Default(Native).Terminal
	want.Lifetime, want.Idle, want.DrainLimit = time.Millisecond, Off, 1<<20
	want.Descendants, want.Scan = 4<<20, 1
	want.Env, want.User = []string{"EDITOR", "_x9"}, User{UID: 1000, GID: 4294967294, Set: true}
	if !reflect.DeepEqual(c.Terminal, want) {
		t.Errorf("%+v, want %+v", c.Terminal, want)
	}
}
