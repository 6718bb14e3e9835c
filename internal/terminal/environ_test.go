package terminal_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/terminal/wire"
	"github.com/sbinit/sbinit/internal/testns"
)

const secret = "hunter2"

// TestSecrets: what the worker's environment and descriptors hold is looked for from
// inside, in the program and in all that it can see of its own.
func TestSecrets(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		o.Stdin, o.NotPID1 = testns.Pipe, true
		o.Env = testns.Environ("API_KEY="+secret, "PASSED=1", "NOT_PASSED="+secret, "LC_ALL=C", "LANG=C", "TZ=UTC",
			"USER=u", "LOGNAME=u", "COLORTERM=truecolor", "TMPDIR=/tmp", "TERM=vt100", "SHELL=/bin/sh", "PATHS="+secret,
			"SBINIT_TERMINAL_ENV=PASSED", "GODEBUG="+secret, "BASH_ENV="+secret)
		file := filepath.Join(testns.Dir(t), "secret")
		if err := os.WriteFile(file, []byte(secret), 0o644); err != nil {
			t.Fatal(err)
		}
		script := `exec 7<` + file + ` 9<` + file + `; exec "$0" "$@"`
		s := &session{t: t, Container: testns.Start(t, o, testns.Yard(t, "sh", "-c", script, testns.Build(t), "terminal")...)}
		s.send(wire.Open{Cols: 80, Rows: 24, Env: []string{"ADDED=yes", "TZ=CET"}, Argv: []string{"sh", "-c",
			`stty -opost; tr '\0' '\n' </proc/self/environ; echo ===; ls -l /proc/self/fd | sed 's/.* \([0-9]* -> \)/\1/'; echo ===; ` +
				`grep -E '^(SigBlk|SigIgn)' /proc/self/status; echo ===; cat /proc/self/fd/[3-9]* 2>/dev/null`}})
		s.ends(wire.ReasonExited, 0)
		shown := s.shown.String()
		if strings.Contains(shown, secret) {
			t.Errorf("found a secret:\n%s", shown)
		}
		parts := strings.Split(shown, "===\n")
		env := strings.Fields(parts[0])
		slices.Sort(env)
		want := []string{"ADDED=yes", "COLORTERM=truecolor", "HOME=/", "LANG=C", "LC_ALL=C", "LOGNAME=u", "PASSED=1",
			"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "SHELL=/bin/sh", "TERM=vt100", "TMPDIR=/tmp", "TZ=CET", "USER=u"}
		env = slices.DeleteFunc(env, func(e string) bool { return strings.HasPrefix(e, "PWD=") || strings.HasPrefix(e, "_=") }) // the shell's own
		if !slices.Equal(env, want) {
			t.Errorf("the environment is %q, want %q", env, want)
		}
		for _, line := range strings.Split(strings.TrimSpace(parts[1]), "\n")[1:] {
			fd, leads, _ := strings.Cut(line, " -> ")
			if !strings.HasPrefix(leads, "/dev/pts/") && !strings.HasPrefix(leads, "pipe:") && !(fd == "3" && strings.HasPrefix(leads, "/proc/")) {
				t.Errorf("descriptor %s leads to %s", fd, leads)
			}
		}
		if want := "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n"; parts[2] != want {
			t.Errorf("signals: %q", parts[2])
		}
	})
}

// TestStandardTerm: a daemon's environment often has no TERM, or a dumb one.
func TestStandardTerm(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		for _, env := range [][]string{nil, {"TERM=dumb"}, {"TERM="}} {
			s := open(t, o, env, "sh", "-c", "echo $TERM")
			s.shows("xterm-256color\r\n")
			s.ends(wire.ReasonExited, 0)
		}
	})
}

// TestDirectory: the caller's choice, or the worker's own.
func TestDirectory(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		o.Dir = "/usr"
		for cwd, want := range map[string]string{"": "/usr", "/etc": "/etc"} {
			s := begin(t, o)
			s.send(wire.Open{Cols: 80, Rows: 24, Cwd: cwd, Argv: []string{"pwd"}})
			s.ends(wire.ReasonExited, 0)
			if got := s.shown.String(); got != want+"\r\n" {
				t.Errorf("cwd %q: %q", cwd, got)
			}
		}
	})
}

// TestUser: the program is another user, who can do nothing to the worker, and whose
// processes are ended all the same.
func TestUser(t *testing.T) {
	testns.RequireRoot(t)
	for name, o := range map[string]testns.Options{"root": {}, "docker": {DockerCapabilities: true}} {
		t.Run(name, func(t *testing.T) {
			s := begin(t, o, "SBINIT_TERMINAL_USER=4242:4343", "SBINIT_KILL_GRACE=0", "USER=root")
			s.send(wire.Open{Cols: 80, Rows: 24, Argv: []string{"sh"}, Env: []string{"PS1=> "}})
			message[wire.Ready](s)
			s.runs(`id -u; id -g; id -G; echo "$HOME:$USER:$LOGNAME"; stat -c %u $(tty)`, "4242\r\n4343\r\n4343\r\n/::\r\n4242\r\n")
			s.types("kill -9 $PPID; echo status $?\n")
			s.shows("not permitted")
			s.shows("status 1")
			s.types("kill -9 -1\n") // takes the shell's own user's, not the worker
			s.shows("> ")
			s.types("setsid sleep 1000 & sleep 1001\n")
			s.WaitFor(t, "all to run", func() bool { return len(s.Find("sleep")) == 2 })
			s.send(wire.Signal{Signal: unix.SIGUSR1})
			s.WaitFor(t, "the signal", func() bool { return len(s.Find("sleep")) == 1 })
			s.send(wire.Close{})
			s.ends(wire.ReasonClosed, 0)
		})
	}
}

// TestUserWithoutRight: it is refused before anything is started.
func TestUserWithoutRight(t *testing.T) {
	testns.RequireNS(t)
	for name, o := range map[string]testns.Options{"user": {UID: 1000, GID: 1000}, "nobody": {AsNobody: true, UID: 1000, GID: 1000}} {
		t.Run(name, func(t *testing.T) {
			s := begin(t, o, "SBINIT_TERMINAL_USER=4242:4343")
			s.send(wire.Open{Cols: 80, Rows: 24, Argv: []string{"sh"}})
			if e := message[wire.Error](s); e.Code != wire.CodeBadSetting || !strings.Contains(e.Message, "needs CAP_SETUID") {
				t.Errorf("%+v", e)
			}
			s.ends(wire.ReasonError, 1)
		})
	}
}

// TestRefusedWhereNothingCanBeContained: no /proc, no pidfds, a wrong setting.
func TestRefusedWhereNothingCanBeContained(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		for name, c := range map[string]struct {
			change func(*testns.Options)
			env    string
			code   wire.Code
		}{
			"no proc":  {func(o *testns.Options) { o.NoProc = true }, "X=1", wire.CodeCannotContain},
			"no pidfd": {func(o *testns.Options) { o.SeccompErrno = map[int]unix.Errno{unix.SYS_PIDFD_OPEN: unix.ENOSYS} }, "X=1", wire.CodeCannotContain},
			"setting":  {func(*testns.Options) {}, "SBINIT_TERMINAL_IDLE=soon", wire.CodeBadSetting},
		} {
			t.Run(name, func(t *testing.T) {
				o := o
				c.change(&o)
				s := begin(t, o, c.env)
				if e := message[wire.Error](s); e.Code != c.code || e.Message == "" {
					t.Errorf("%+v, want %s", e, c.code)
				}
				s.ends(wire.ReasonError, 1)
			})
		}
	})
}
