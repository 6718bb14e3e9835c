package config

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

func FuzzParse(f *testing.F) {
	for _, seed := range [][2]string{
		{"sbinit", ""}, {"sbinit\n-gvs\n-p\nTERM\n--\nsh\n-c\nx", "SBINIT_FORWARD=child"},
		{"tini\n-e\n1\ntrue", "TINI_SUBREAPER=\nTINI_VERBOSITY=3"}, {"dumb-init\n--rewrite=15:2\nx", "DUMB_INIT_SETSID=0"},
		{"catatonit\n-P", "SBINIT_WAIT=all"}, {"sbinit\nhelp\nenv", "SBINIT_"}, {"sbinit\nkeep\n--\nx", "SBINIT_KEEP=1"},
		{"sbinit\n-\xff", "SBINIT_ORPHAN_KEEP=[\nSBINIT_STOP_GRACE=off"}, {"sbinit\n--=\nx", "=\n=x\nSBINIT_TERMINAL_X=1"},
		{"", "SBINIT_EXIT_OK=1,2\nSBINIT_SIGNAL_REWRITE=TERM=INT"}, {"sbinit\n\nx", "SBINIT_SCAN_INTERVAL=1s"},
	} {
		f.Add(seed[0], seed[1], false)
		f.Add(seed[0], seed[1], true)
	}
	f.Fuzz(func(t *testing.T, args, environ string, pid1 bool) {
		in := Input{Args: strings.Split(args, "\n"), Environ: strings.Split(environ, "\n"), PID1: pid1}
		inv, warnings, err := Parse(in)
		for _, w := range warnings {
			checkLine(t, w.String())
		}
		if err != nil {
			for _, fault := range faultsOf(t, err) {
				checkLine(t, fault.String())
			}
			return
		}
		checkInvocation(t, inv)
	})
}

func checkLine(t *testing.T, line string) {
	t.Helper()
	for _, letter := range line {
		if letter < ' ' || letter == 0x7f {
			t.Errorf("control character in %q", line)
		}
	}
}

// checkInvocation holds for whatever Parse accepts.
func checkInvocation(t *testing.T, inv Invocation) {
	t.Helper()
	c := inv.Config
	switch inv.Command {
	case CommandKeep:
		if len(inv.Argv) == 0 {
			t.Error("keep without a program")
		}
		return
	case CommandRun:
		if (len(inv.Argv) == 0) != c.Pause {
			t.Errorf("program %q, pause %v", inv.Argv, c.Pause)
		}
	default:
		return
	}
	for _, d := range []time.Duration{c.ExitGrace, c.OrphanGrace, c.KillGrace, c.StopDelay, c.ScanInterval} {
		if d < 0 || d > longest {
			t.Errorf("a duration of %v", d)
		}
	}
	if c.StopGrace < Off || c.StopGrace > longest || c.ScanInterval < 100*time.Millisecond {
		t.Errorf("stop grace %v, scan interval %v", c.StopGrace, c.ScanInterval)
	}
	if c.Wait == WaitAll && c.Orphans != OrphansKeep {
		t.Errorf("waits for all, orphans %s", c.Orphans)
	}
	again, _, err := Parse(Input{Args: append([]string{"sbinit", "--"}, inv.Argv...), Environ: Effective(c)})
	if err != nil || !reflect.DeepEqual(again.Config, c) {
		t.Errorf("%+v\nfed back gives %+v, %v", c, again.Config, err)
	}
}
