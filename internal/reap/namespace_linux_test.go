package reap

import (
	"fmt"
	"os"
	"os/signal"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/testns"
)

// The programs below run as PID 1 of a namespace, where they say what they see, and the
// tests compare that.

func init() {
	testns.Register("terminal", terminalProgram)
	testns.Register("noexec", noexecProgram)
}

// terminalProgram starts a reader of its terminal as the options say. It tells whether the
// reader has the terminal once it is started, and what became of it.
func terminalProgram(options []string) int {
	s := Spec{Paths: []string{"/bin/sh"}, Argv: []string{"sh", "-c", `read line; test "$line" = hello`}}
	for _, option := range options {
		switch option {
		case "group":
			s.ProcessGroup = true
		case "foreground":
			s.Foreground = true
		case "session":
			s.Session = true
		case "leave":
			// HUP comes to who leaves the terminal as its session's leader.
			signal.Ignore(unix.SIGHUP)
			unix.Syscall(unix.SYS_IOCTL, 0, unix.TIOCNOTTY, 0)
		}
	}
	pid, err := Start(s)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println("has the terminal:", foregroundGroup(pid) == pid)
	switch changed := firstChange(); {
	case changed.PID != pid:
		fmt.Println("no child")
	case changed.Status.Stopped():
		fmt.Println("stopped by", unix.SignalName(changed.Status.StopSignal()))
	default:
		fmt.Println("exit code", Code(changed.Status))
	}
	return 0
}

// foregroundGroup is the foreground group of a process's controlling terminal.
func foregroundGroup(pid int) (group int) {
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(stat), ") ")
	var state string
	var parent, own, session, terminal int
	fmt.Sscan(rest, &state, &parent, &own, &session, &terminal, &group)
	return group
}

// firstChange waits until a child changes. It returns nothing if there is none.
func firstChange() (changed Exit) {
	for limit := time.Now().Add(patience); time.Now().Before(limit); time.Sleep(time.Millisecond) {
		_, none, err := Drain(1, func(e Exit) { changed = e })
		if changed.PID != 0 || none || err != nil {
			break
		}
	}
	return changed
}

func TestTerminal(t *testing.T) {
	testns.RequireNS(t)
	for _, c := range []struct{ options, want string }{
		{"", "has the terminal: false\nexit code 0\n"},
		{"group", "has the terminal: false\nstopped by SIGTTIN\n"},
		{"foreground", "has the terminal: true\nexit code 0\n"},
		{"group foreground", "has the terminal: true\nexit code 0\n"},
		{"session foreground leave", "has the terminal: true\nexit code 0\n"},
	} {
		t.Run(c.options, func(t *testing.T) {
			testns.Each(t, func(t *testing.T, o testns.Options) {
				o.Stdin = testns.Terminal
				program := testns.Start(t, o, testns.Self("terminal", strings.Fields(c.options)...)...)
				program.WaitFor(t, "the start", func() bool { return strings.Contains(program.Stdout(), "terminal:") })
				fmt.Fprintln(program.Input(), "hello")
				program.Wait(t)
				if got := program.Stdout(); got != c.want {
					t.Errorf("got\n%swant\n%s%s", got, c.want, program.Stderr())
				}
			})
		})
	}
}

// A terminal that cannot be had must not keep the program from running.
func TestForegroundWithoutATerminal(t *testing.T) {
	testns.RequireNS(t)
	testns.Each(t, func(t *testing.T, o testns.Options) {
		for _, stdin := range []testns.Stream{testns.Null, testns.Broken} {
			o.Stdin = stdin
			for _, options := range []string{"foreground", "session foreground"} {
				program := testns.Start(t, o, testns.Self("terminal", strings.Fields(options)...)...)
				program.Wait(t)
				if got, want := program.Stdout(), "has the terminal: false\nexit code 1\n"; got != want {
					t.Errorf("%s: got\n%swant\n%s%s", options, got, want, program.Stderr())
				}
			}
		}
	})
}

// noexecProgram tries to start a program from a file system mounted noexec.
func noexecProgram([]string) int {
	if err := unix.Mount("tmpfs", "/run", "tmpfs", unix.MS_NOEXEC, ""); err != nil {
		fmt.Println(err)
		return 1
	}
	if err := os.WriteFile("/run/program", []byte("#!/bin/sh\n"), 0o755); err != nil {
		fmt.Println(err)
		return 1
	}
	_, err := Start(Spec{Paths: []string{"/run/program"}, Argv: []string{"program"}})
	fmt.Println(err, ExitCode(err))
	return 0
}

func TestNoexecMount(t *testing.T) {
	testns.RequireNS(t)
	testns.Each(t, func(t *testing.T, o testns.Options) {
		program := testns.Start(t, o, testns.Self("noexec")...)
		program.Wait(t)
		if got, want := program.Stdout(), "/run/program: its file system is mounted noexec 126\n"; got != want {
			t.Errorf("got %s, want %s%s", got, want, program.Stderr())
		}
	})
}
