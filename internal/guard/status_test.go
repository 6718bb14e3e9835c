package guard_test

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/testns"
)

// TestStatus: the program's exit status is the guard's.
func TestStatus(t *testing.T) {
	eachHost(t, func(t *testing.T, h host) {
		for _, code := range []int{0, 1, 77, 125, 255} {
			h.guard(t, nil, "--", testns.Tool(t), "exit", fmt.Sprint(code)).ends(t, code)
		}
		for _, sig := range []unix.Signal{unix.SIGKILL, unix.SIGTERM, unix.SIGSEGV, 34} {
			h.guard(t, nil, "--", testns.Tool(t), "die", fmt.Sprint(int(sig))).ends(t, 128+int(sig))
		}
	})
}

// TestStatusKilled: so is the end that others make of it.
func TestStatusKilled(t *testing.T) {
	eachHost(t, func(t *testing.T, h host) {
		g := h.guard(t, atOnce, "--", testns.Tool(t), "sleep")
		g.ready(t)
		g.Kill(g.One("sleep"), unix.SIGKILL)
		g.ends(t, 137)
	})
}

// TestExitOK: codes that are turned into 0.
func TestExitOK(t *testing.T) {
	eachHost(t, func(t *testing.T, h host) {
		env := []string{"SBINIT_EXIT_OK=143,3"}
		h.guard(t, env, "--", testns.Tool(t), "exit", "3").ends(t, 0)
		h.guard(t, env, "--", testns.Tool(t), "exit", "4").ends(t, 4)
		h.guard(t, env, "--", testns.Tool(t), "die", "15").ends(t, 0)
	})
}

// TestNotStarted: what cannot be started has the status that a shell gives, and a
// reason.
func TestNotStarted(t *testing.T) {
	eachHost(t, func(t *testing.T, h host) {
		dir := testns.Dir(t)
		plain := filepath.Join(dir, "plain")
		if err := os.WriteFile(plain, []byte("#!/bin/sh\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, one := range []struct {
			argv []string
			code int
			says string
		}{
			{[]string{"--", "no-such-program"}, 127, "program not started .*no-such-program"},
			{[]string{"--", filepath.Join(dir, "none")}, 127, "program not started .*no such file"},
			{[]string{"--", plain}, 126, "program not started .*no permission to execute"},
			{[]string{"--", dir}, 126, "program not started .*is a directory"},
			{[]string{"--", ""}, 127, "program not started .*empty"},
			{nil, 125, "error: .*PROGRAM"},
			{[]string{"--"}, 125, "error: .*PROGRAM"},
			{[]string{"--no-such-option", "--", "true"}, 125, "error: .*no-such-option"},
		} {
			g := h.guard(t, nil, one.argv...)
			g.ends(t, one.code)
			g.said(t, one.says)
		}
		g := h.guard(t, []string{"SBINIT_KILL_GRACE=soon"}, "--", "true")
		g.ends(t, 125)
		g.said(t, "SBINIT_KILL_GRACE")
	})
}

// TestRefused: where it could not contain, the guard starts nothing.
func TestRefused(t *testing.T) {
	for name, one := range map[string]struct {
		o    testns.Options
		says string
	}{
		"no /proc":      {testns.Options{NoProc: true}, "without /proc"},
		"no pidfd_open": {testns.Options{SeccompErrno: map[int]syscall.Errno{unix.SYS_PIDFD_OPEN: unix.ENOSYS}}, "without pidfds"},
		"no signal by pidfd": {
			testns.Options{SeccompErrno: map[int]syscall.Errno{unix.SYS_PIDFD_SEND_SIGNAL: unix.EPERM}}, "without pidfds",
		},
	} {
		t.Run(name, func(t *testing.T) {
			eachHost(t, func(t *testing.T, h host) {
				o := one.o
				o.AsNobody, o.NotPID1 = h.o.AsNobody, h.o.NotPID1
				g := host{o: o, sbinit: h.sbinit}.guard(t, nil, "--", testns.Tool(t), "sleep")
				g.ends(t, 125)
				g.said(t, one.says)
				if g.Stdout() != "" {
					t.Errorf("the program was started\n%s", g.Dump())
				}
			})
		})
	}
}
