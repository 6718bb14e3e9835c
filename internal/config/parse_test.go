package config

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// An option > SBINIT_* > a peer's variable > the personality > the table.
func TestPrecedence(t *testing.T) {
	for _, c := range []struct {
		line    string
		environ string
		name    string
		want    string
	}{
		{"sbinit true", "", "FORWARD", "group"},
		{"tini true", "", "FORWARD", "child"},
		{"tini true", "TINI_KILL_PROCESS_GROUP=", "FORWARD", "group"},
		{"tini true", "TINI_KILL_PROCESS_GROUP=1 SBINIT_FORWARD=child", "FORWARD", "child"},
		{"tini -g true", "SBINIT_FORWARD=child", "FORWARD", "group"},
		{"sbinit -c true", "TINI_KILL_PROCESS_GROUP=1 SBINIT_FORWARD=group", "FORWARD", "child"},

		{"tini true", "", "SUBREAPER", "off"},
		{"tini true", "TINI_SUBREAPER=0", "SUBREAPER", "on"}, // set at all, as tini has it
		{"tini true", "TINI_SUBREAPER=", "SUBREAPER", "on"},
		{"sbinit true", "TINI_SUBREAPER=no SBINIT_SUBREAPER=off", "SUBREAPER", "off"},
		{"sbinit -s true", "SBINIT_SUBREAPER=off", "SUBREAPER", "on"},

		{"sbinit true", "TINI_VERBOSITY=0", "LOG_LEVEL", "error"},
		{"sbinit true", "TINI_VERBOSITY=1", "LOG_LEVEL", "warn"},
		{"sbinit true", "TINI_VERBOSITY=2", "LOG_LEVEL", "info"},
		{"sbinit true", "TINI_VERBOSITY=3", "LOG_LEVEL", "debug"},
		{"sbinit true", "TINI_VERBOSITY=", "LOG_LEVEL", "warn"},
		{"sbinit true", "DUMB_INIT_DEBUG=1", "LOG_LEVEL", "debug"},
		{"sbinit true", "DUMB_INIT_DEBUG=0", "LOG_LEVEL", "warn"},
		{"sbinit true", "DUMB_INIT_DEBUG=1 SBINIT_LOG_LEVEL=error", "LOG_LEVEL", "error"},
		{"sbinit -v true", "SBINIT_LOG_LEVEL=error", "LOG_LEVEL", "warn"}, // raises what the variable says
		{"sbinit -vv true", "TINI_VERBOSITY=2", "LOG_LEVEL", "debug"},
		{"dumb-init -v true", "", "LOG_LEVEL", "debug"},
		{"tini -v true", "", "LOG_LEVEL", "info"},

		{"dumb-init true", "", "SETSID", "on"},
		{"dumb-init true", "DUMB_INIT_SETSID=0", "SETSID", "off"},
		{"dumb-init true", "DUMB_INIT_SETSID=0", "FORWARD", "child"},
		{"dumb-init true", "DUMB_INIT_SETSID=0 SBINIT_SETSID=on", "SETSID", "on"},
		{"sbinit true", "DUMB_INIT_SETSID=1", "SETSID", "on"},
		{"dumb-init -c true", "SBINIT_SETSID=on", "SETSID", "off"},

		{"sbinit true", "SBINIT_EXIT_OK=143", "EXIT_OK", "143"},
		{"sbinit -e 1 -e 2 true", "SBINIT_EXIT_OK=143", "EXIT_OK", "1,2"}, // replaces
		{"sbinit true", "SBINIT_SIGNAL_REWRITE=TERM=INT", "SIGNAL_REWRITE", "TERM=INT"},
		{"sbinit -r HUP:0 true", "SBINIT_SIGNAL_REWRITE=TERM=INT", "SIGNAL_REWRITE", "HUP=0"},
		{"sbinit -p INT true", "SBINIT_PARENT_DEATH_SIGNAL=KILL", "PARENT_DEATH_SIGNAL", "SIGINT"},
		{"sbinit -w true", "SBINIT_WARN_REAPED=off", "WARN_REAPED", "on"},
		{"sbinit -P", "SBINIT_PAUSE=off", "PAUSE", "on"},

		{"docker-init true", "SBINIT_ORPHANS=abandoned SBINIT_EXIT_GRACE=3s", "ORPHANS", "abandoned"},

		// Of a name given twice the first counts, as in getenv(3); also an empty one.
		{"sbinit true", "SBINIT_FORWARD=child SBINIT_FORWARD=group", "FORWARD", "child"},
		{"sbinit true", "SBINIT_FORWARD= SBINIT_FORWARD=child", "FORWARD", "group"},
		{"sbinit true", "SBINIT_FORWARD SBINIT_FORWARD=child", "FORWARD", "child"},
	} {
		got := effective(mustRun(t, c.line, strings.Fields(c.environ)...), prefix+c.name)
		if got != c.want {
			t.Errorf("%s with %q: %s is %s, want %s", c.line, c.environ, c.name, got, c.want)
		}
	}
}

func TestAllFaultsTogether(t *testing.T) {
	_, warnings, err := run("sbinit -x --foo -e 300 -r KILL:TERM -p",
		"SBINIT_FORWARD=all", "SBINIT_KILL_GRACE=5", "SBINIT_SCAN_INTERVAL=1ms", "TINI_VERBOSITY=9",
		"SBINIT_KILLGRACE=5s", "DUMB_INIT_SETSID=yes")
	var names []string
	for _, fault := range faultsOf(t, err) {
		names = append(names, fault.Name)
	}
	want := []string{"-x", "--foo", "-p", "TINI_VERBOSITY", "DUMB_INIT_SETSID", "SBINIT_FORWARD",
		"SBINIT_KILL_GRACE", "SBINIT_SCAN_INTERVAL", "-e", "-r", "PROGRAM"}
	if !slices.Equal(names, want) {
		t.Errorf("faults of %q, want %q", names, want)
	}
	if lines := strings.Count(err.Error(), "\n") + 1; lines != len(want) {
		t.Errorf("%d lines for %d faults:\n%v", lines, len(want), err)
	}
	if len(warnings) != 1 || warnings[0].Name != "SBINIT_KILLGRACE" {
		t.Errorf("warnings %v", warnings)
	}
}

func TestWaitAllImpliesKeep(t *testing.T) {
	if c := mustRun(t, "sbinit true", "SBINIT_WAIT=all"); c.Orphans != OrphansKeep {
		t.Errorf("orphans are %s", c.Orphans)
	}
	if c := mustRun(t, "sbinit true", "SBINIT_WAIT=all", "SBINIT_ORPHANS=keep"); c.Orphans != OrphansKeep {
		t.Errorf("orphans are %s", c.Orphans)
	}
	for _, policy := range []string{"abandoned", "terminate", "report"} {
		_, _, err := run("sbinit true", "SBINIT_WAIT=all", "SBINIT_ORPHANS="+policy)
		faults := faultsOf(t, err)
		if len(faults) != 1 || faults[0].Name != "SBINIT_ORPHANS" || faults[0].Value != policy {
			t.Errorf("%s: %v", policy, err)
		}
	}
	_, _, err := run("sbinit true", "SBINIT_WAIT=all", "SBINIT_ORPHANS=wrong")
	if faults := faultsOf(t, err); len(faults) != 1 {
		t.Errorf("a wrong policy is one fault, not also a contradiction: %v", err)
	}
}

func TestSessionRewritesTerminalStops(t *testing.T) {
	for line, want := range map[string]string{
		"dumb-init true":            "TSTP=STOP,TTIN=STOP,TTOU=STOP",
		"dumb-init -c true":         "none",
		"dumb-init -r 20:0 true":    "TSTP=0,TTIN=STOP,TTOU=STOP",
		"dumb-init -r 20:20 true":   "TSTP=TSTP,TTIN=STOP,TTOU=STOP",
		"dumb-init -r TERM:2 true":  "TERM=INT,TSTP=STOP,TTIN=STOP,TTOU=STOP",
		"sbinit true":               "none",
		"dumb-init -cr TERM:2 true": "TERM=INT",
	} {
		if got := effective(mustRun(t, line), "SBINIT_SIGNAL_REWRITE"); got != want {
			t.Errorf("%s: rewrites %s, want %s", line, got, want)
		}
	}
}

func TestPause(t *testing.T) {
	if c := mustRun(t, "sbinit", "SBINIT_PAUSE=on"); !c.Pause {
		t.Error("SBINIT_PAUSE=on does not pause")
	}
	inv, warnings, err := run("catatonit -P true") // catatonit takes no notice of it
	if err != nil || len(inv.Argv) != 0 || len(warnings) != 1 || warnings[0].Value != "true" {
		t.Errorf("catatonit -P true: %q, error %v, warnings %v", inv.Argv, err, warnings)
	}
	if _, _, err := run("sbinit true", "SBINIT_PAUSE=on"); err == nil {
		t.Error("SBINIT_PAUSE=on with a program: want an error")
	}
}

// What is logged is what is set: fed back as variables, under whatever name, it
// gives the same configuration.
func TestEffectiveFedBack(t *testing.T) {
	pick := func(r *rand.Rand, values ...string) string { return values[r.IntN(len(values))] }
	random := func(r *rand.Rand, name string) string {
		switch s := named(name); {
		case strings.HasPrefix(s.values, "duration"):
			return (100*time.Millisecond + time.Duration(r.Int64N(int64(23*time.Hour)))).String()
		case s.values == "number":
			return strconv.Itoa(1 + r.IntN(4096))
		case s.values == "size":
			return pick(r, "0", "1", "65536", "1KiB", "3000KiB", "16MiB")
		case s.values == "`uid:gid`":
			return pick(r, none, "0:0", "1000:100")
		case strings.HasPrefix(s.values, "`"):
			return pick(r, strings.Split(plain(s.values), ", ")...)
		}
		return map[string]string{
			"SBINIT_SIGNAL_REWRITE":      pick(r, none, "TERM=INT", "TSTP=TSTP,RTMIN+3=0", "1=64,2=2"),
			"SBINIT_EXIT_OK":             pick(r, none, "143,130", "0", "255,1"),
			"SBINIT_PARENT_DEATH_SIGNAL": pick(r, none, "TERM", "64"),
			"SBINIT_ORPHAN_KEEP":         pick(r, none, "+x", "a*,b", "++"),
			"SBINIT_TERMINAL_ENV":        pick(r, none, "EDITOR", "A,_b,C9"),
		}[name]
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		p := Personality(r.IntN(len(personalities)))
		var environ []string
		for _, s := range settings {
			if r.IntN(3) == 0 && s.name != "SBINIT_PAUSE" && s.name != "SBINIT_WAIT" {
				environ = append(environ, s.name+"="+random(r, s.name))
			}
		}
		c := mustRun(t, p.String()+" true", environ...)
		for _, again := range []Personality{Native, p} {
			if got := mustRun(t, again.String()+" true", Effective(c)...); !reflect.DeepEqual(got, c) {
				t.Fatalf("%s with %q gives %+v\nfed back as %s %+v", p, environ, c, again, got)
			}
		}
	}
}
