package guard_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/testns"
)

// A shell is an interactive bash, the leader of a session on a terminal.
type shell struct{ *guarded }

// atShell starts one, not as PID 1, and waits for its prompt.
func atShell(t *testing.T, o testns.Options, env ...string) shell {
	t.Helper()
	o.NotPID1 = true
	o.Stdin, o.Stdout, o.Stderr = testns.Terminal, testns.Terminal, testns.Terminal
	o.Env = testns.Environ(append(env, "PS1=> ", "TERM=dumb", "SBINIT="+testns.Build(t), "TOOL="+testns.Tool(t), "HOSTILE="+testns.Hostile(t))...)
	s := shell{&guarded{testns.Start(t, o, "bash", "--norc", "--noprofile", "-i"), host{o: o, sbinit: true}}}
	s.WaitFor(t, "the prompt", func() bool { return strings.HasSuffix(s.Stdout(), "> ") })
	return s
}

// types types, and waits until what comes back contains want.
func (s shell) types(t *testing.T, typed, want string) {
	t.Helper()
	before := len(s.Stdout())
	if _, err := s.Input().WriteString(typed); err != nil {
		t.Fatal(err)
	}
	s.WaitFor(t, fmt.Sprintf("%q after %q", want, typed), func() bool {
		return strings.Contains(s.Stdout()[before:], want)
	})
}

// runs types a command line that starts a guard, and waits until its program runs.
func (s shell) runs(t *testing.T, line, program string) testns.Process {
	t.Helper()
	s.types(t, line+"\n", "\r\n")
	p := s.One(program)
	s.keeper()
	return p
}

const ctrlC, ctrlZ, ctrlBackslash = "\x03", "\x1a", "\x1c"

// TestTerminalSignals: what the kernel sends to the foreground process group reaches
// the program once, and so does what a person sends to the guard.
func TestTerminalSignals(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		s := atShell(t, o)
		s.runs(t, "$SBINIT guard -- $TOOL record", "record")
		s.ready(t)
		s.types(t, ctrlC, "signal 2 code 128 value 0\r\n")
		s.types(t, ctrlBackslash, "signal 3 code 128 value 0\r\n")
		s.types(t, ctrlZ, "signal 20 code 128 value 0\r\n")
		if err := pty.Setsize(s.Input(), &pty.Winsize{Rows: 20, Cols: 100}); err != nil {
			t.Fatal(err)
		}
		s.got(t, 4)
		s.WaitFor(t, "the front to have them as well", func() bool { return pending(t, s.front()) == 0 })
		for i, sig := range []unix.Signal{unix.SIGINT, unix.SIGUSR1, unix.SIGWINCH, unix.SIGTERM, unix.SIGHUP} {
			s.Kill(s.front(), sig)
			s.got(t, 5+i)
		}
		s.Kill(s.front(), 64)
		s.WaitFor(t, "the prompt", func() bool { return strings.HasSuffix(s.Stdout(), "> ") })
		s.types(t, "echo status $?\n", "status 0\r\n")
		if got := fmt.Sprint(s.recorded()); got != "[2 3 20 28 2 10 28 15 1 64]" {
			t.Errorf("recorded %s", got)
		}
	})
}

// pending are the signals that a process has been sent and has not taken: another one
// of the same number would be the same one (signal(7)).
func pending(t *testing.T, p testns.Process) (set uint64) {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.HostPID))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"SigPnd", "ShdPnd"} {
		_, rest, _ := strings.Cut(string(status), "\n"+name+":\t")
		var one uint64
		fmt.Sscanf(rest, "%x", &one)
		set |= one
	}
	return set
}

// TestTerminalStop: ctrl-Z stops the job and the shell says so; in the foreground
// again it goes on.
func TestTerminalStop(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		s := atShell(t, o)
		p := s.runs(t, "$SBINIT guard -- sleep 1000", "sleep")
		for range 3 {
			s.types(t, ctrlZ, "Stopped")
			s.types(t, "echo $((40+2))\n", "42\r\n")
			if s.state(p) != 'T' || s.state(s.front()) != 'T' || s.state(s.keeper()) != 'S' {
				t.Error(s.Dump())
			}
			s.types(t, "fg\n", "guard -- sleep 1000\r\n")
			s.WaitFor(t, "the program to go on", func() bool { return s.state(p) == 'S' && s.state(s.front()) == 'S' })
		}
		s.types(t, ctrlC, "> ")
		s.types(t, "echo status $?\n", "status 130\r\n")
	})
}

// TestTerminalStopAgain: a keeper that is late in hearing of the shell's SIGCONT does
// not take back the ctrl-Z after it.
func TestTerminalStopAgain(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		s := atShell(t, o)
		p := s.runs(t, "$SBINIT guard -- sleep 1000", "sleep")
		s.types(t, ctrlZ, "Stopped")
		s.Kill(s.keeper(), unix.SIGSTOP)
		s.types(t, "fg\n", "guard -- sleep 1000\r\n")
		s.WaitFor(t, "the program to go on", func() bool { return s.state(p) == 'S' && s.state(s.front()) == 'S' })
		s.WaitFor(t, "the front to take the signal", func() bool { return pending(t, s.front()) == 0 })
		s.types(t, ctrlZ, "^Z")
		s.WaitFor(t, "the program's stop", func() bool { return s.state(p) == 'T' })
		before := len(s.Stdout())
		s.Kill(s.keeper(), unix.SIGCONT)
		s.WaitFor(t, "the shell to say so", func() bool { return strings.Contains(s.Stdout()[before:], "Stopped") })
		s.types(t, "echo $((40+2))\n", "42\r\n")
		if s.state(p) != 'T' || s.state(s.front()) != 'T' {
			t.Error(s.Dump())
		}
		s.types(t, "fg\n", "guard -- sleep 1000\r\n")
		s.types(t, ctrlC, "> ")
	})
}

// TestTerminalShell: an interactive shell below a guard has job control of its own, and
// gives the terminal back.
func TestTerminalShell(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		s := atShell(t, o)
		s.types(t, "PS1='inner> ' $SBINIT guard -- bash --norc --noprofile -i\n", "inner> ")
		s.types(t, "sleep 1000\n", "\r\n")
		p := s.One("sleep")
		s.types(t, ctrlZ, "Stopped")
		if s.state(p) != 'T' || s.state(s.front()) != 'S' {
			t.Error(s.Dump())
		}
		s.types(t, "fg\n", "sleep 1000\r\n")
		s.WaitFor(t, "the job to go on", func() bool { return s.state(p) == 'S' })
		s.types(t, ctrlC, "inner> ")
		s.types(t, "echo status $?\n", "status 130\r\n")
		if err := pty.Setsize(s.Input(), &pty.Winsize{Rows: 33, Cols: 123}); err != nil {
			t.Fatal(err)
		}
		s.types(t, "stty size\n", "33 123\r\n")
		s.types(t, "suspend\n", "Stopped")
		s.types(t, "fg\n", "\r\n")
		s.types(t, "sleep 1000 & exit 7\n", "> ")
		s.types(t, "echo status $?\n", "status 7\r\n")
		if left := s.Find("sleep"); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
	})
}

// TestTerminalBackground: a job that reads in the background is stopped, and reads in
// the foreground.
func TestTerminalBackground(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		s := atShell(t, o)
		p := s.runs(t, "$SBINIT guard -- cat &", "cat")
		s.WaitFor(t, "the stop", func() bool { return s.state(p) == 'T' && s.state(s.front()) == 'T' })
		s.types(t, "jobs\n", "Stopped")
		s.types(t, "fg\n", "guard -- cat\r\n")
		s.types(t, "hello\n", "hello\r\nhello\r\n")
		s.types(t, "\x04", "> ")
	})
}

// TestTerminalPipeline: in a pipeline the guard's program is of the job's group.
func TestTerminalPipeline(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		s := atShell(t, o)
		p := s.runs(t, "$SBINIT guard -- sleep 1000 | cat", "sleep")
		s.types(t, ctrlZ, "Stopped")
		s.types(t, "fg\n", "| cat\r\n")
		s.WaitFor(t, "the job to go on", func() bool { return s.state(p) == 'S' && s.state(s.front()) == 'S' })
		s.types(t, ctrlC, "> ")
		s.types(t, "echo status ${PIPESTATUS[0]}\n", "status 130\r\n")
	})
}

// TestTerminalRedirected: none of the program's descriptors is the terminal, which all
// the same sends its signals to the shell's job.
func TestTerminalRedirected(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		s := atShell(t, o)
		p := s.runs(t, "$SBINIT guard -- sleep 1000 </dev/null >/dev/null 2>&1", "sleep")
		s.types(t, ctrlZ, "Stopped")
		s.types(t, "fg\n", "2>&1\r\n")
		s.WaitFor(t, "the job to go on", func() bool { return s.state(p) == 'S' && s.state(s.front()) == 'S' })
		s.types(t, ctrlC, "> ")
		s.types(t, "echo status $?\n", "status 130\r\n")
	})
}

// TestTerminalEndWhileStopped: a program that is ended while its job is stopped takes
// the guard along, which the shell says.
func TestTerminalEndWhileStopped(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		s := atShell(t, o, "SBINIT_KILL_GRACE=0")
		p := s.runs(t, "$SBINIT guard -- sleep 1000", "sleep")
		s.types(t, ctrlZ, "Stopped")
		s.Kill(p, unix.SIGKILL)
		s.WaitFor(t, "the guard's end", func() bool { return len(s.Find("guard")) == 0 })
		s.types(t, "wait %1; echo status $?\n", "status 137\r\n")
	})
}

// TestTerminalContinued: a program that somebody else continues takes the guard along.
func TestTerminalContinued(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		s := atShell(t, o)
		p := s.runs(t, "$SBINIT guard -- sleep 1000", "sleep")
		s.Kill(p, unix.SIGSTOP)
		s.WaitFor(t, "the front to stop", func() bool { return s.state(s.front()) == 'T' })
		s.Kill(p, unix.SIGCONT)
		s.WaitFor(t, "the front to go on", func() bool { return s.state(s.front()) == 'S' })
	})
}

// TestTerminalHangup: the terminal goes away. The kernel tells the leader of its
// session, which may be the guard, and the foreground group when that has ended.
func TestTerminalHangup(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		o.NotPID1, o.Env = true, testns.Environ("SBINIT_KILL_GRACE=0", "SBINIT="+testns.Build(t), "HOSTILE="+testns.Hostile(t))
		for name, command := range map[string]string{
			"leader":     `exec $SBINIT guard -- sh -c "$PROGRAM"`,
			"not leader": `$SBINIT guard -- sh -c "$PROGRAM"; :`,
		} {
			t.Run(name, func(t *testing.T) {
				o := o
				file := filepath.Join(testns.Dir(t), "hup")
				o.Env = append(o.Env, "PROGRAM=trap 'echo >>"+file+"' HUP; $HOSTILE tree '(s)(sd)' & wait; exit")
				c := testns.Start(t, o, "sh", "-c", `script -qfc "$0" /dev/null; :`, command)
				g := &guarded{c, host{o, true}}
				g.ready(t)
				g.Kill(g.One("script"), unix.SIGKILL)
				g.WaitFor(t, "everybody's end", func() bool { return len(g.InYard()) == 0 })
				if hups, err := os.ReadFile(file); err != nil || string(hups) != "\n" {
					t.Errorf("the program was told %d times of the hang-up (%v)", len(hups), err)
				}
			})
		}
	})
}

// TestTerminalKilled: nobody is left on a terminal, whatever ends.
func TestTerminalKilled(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		s := atShell(t, o, "SBINIT_KILL_GRACE=0")
		for _, victim := range []string{"chain", "guard", "sbinit-keeper"} {
			before := len(s.Stdout())
			s.types(t, "$SBINIT guard -- $TOOL chain 20\n", "ready")
			s.Kill(s.Find(victim)[0], unix.SIGKILL)
			s.WaitFor(t, "everybody's end", func() bool { return len(s.InYard()) == 0 })
			s.WaitFor(t, "the prompt", func() bool { return strings.HasSuffix(s.Stdout()[before:], "> ") })
		}
	})
}

// TestTerminalInit: PID 1 is sbinit on a terminal, as with `docker run -it`, and the
// guard its main program. Nobody could continue what ctrl-Z has stopped, so it goes on.
// The program starts nobody: one that is stopped between vfork and exec keeps its
// parent in a sleep (state D) in which that does not stop. A signal to the process
// group would reach the program itself, and by way of front again.
func TestTerminalInit(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		o.Stdin, o.Stdout, o.Stderr = testns.Terminal, testns.Terminal, testns.Terminal
		g := host{o, true}.guard(t, []string{"SBINIT_FORWARD=child"}, "--", testns.Tool(t), "answer")
		g.ready(t)
		for n := range 3 {
			if _, err := g.Input().WriteString(ctrlZ); err != nil {
				t.Fatal(err)
			}
			g.WaitFor(t, "the terminal's echo", func() bool { return strings.Count(g.Stdout(), "^Z") == n+1 })
			g.Signal(unix.SIGUSR1)
			g.WaitFor(t, "the program to go on", func() bool { return strings.Count(g.Stdout(), "usr\r\n") == n+1 })
		}
		if _, err := g.Input().WriteString(ctrlC); err != nil {
			t.Fatal(err)
		}
		g.ends(t, 130)
	})
}
