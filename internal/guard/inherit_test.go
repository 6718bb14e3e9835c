package guard_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/testns"
)

// outputs runs a program without a guard and with one, and returns what each wrote.
func (h host) outputs(t *testing.T, env []string, argv ...string) (without, with string) {
	t.Helper()
	o := h.o
	o.NotPID1, o.Env = true, testns.Environ(env...)
	c := testns.Start(t, o, argv...)
	c.Wait(t)
	g := h.guard(t, env, append([]string{"--"}, argv...)...)
	g.ends(t, 0)
	return settled(t, c), settled(t, g.Container)
}

// settled is all that a program wrote, once its last line has come through the pipe.
func settled(t *testing.T, c *testns.Container) string {
	t.Helper()
	c.WaitFor(t, "output", func() bool { return strings.HasSuffix(c.Stdout(), "\n") || strings.HasSuffix(c.Stdout(), "\x00") })
	return c.Stdout()
}

// TestInheritedSignals: the program starts with the mask and the ignored signals that
// the guard was started with.
func TestInheritedSignals(t *testing.T) {
	eachHost(t, func(t *testing.T, h host) {
		h.o.Ignored = []syscall.Signal{unix.SIGHUP, unix.SIGPIPE, unix.SIGCHLD, 35}
		h.o.Blocked = []syscall.Signal{unix.SIGTERM, unix.SIGUSR1, unix.SIGCHLD, 33, 64}
		if without, with := h.outputs(t, nil, testns.Tool(t), "mask"); with != without {
			t.Errorf("%swant %s", with, without)
		}
	})
}

// TestInheritedLimits: the runtime's raised limit of open files is the guard's own.
func TestInheritedLimits(t *testing.T) {
	eachHost(t, func(t *testing.T, h host) {
		argv := []string{"sh", "-c", "ulimit -S -n 300; exec \"$@\"", "sh"}
		limits := []string{"sh", "-c", "ulimit -S -a; ulimit -H -a"}
		o := h.o
		o.NotPID1, o.NoFile = true, 700
		without := testns.Start(t, o, append(argv, limits...)...)
		without.Wait(t)
		with := testns.Start(t, o, append(append(argv, testns.Build(t), "guard", "--"), limits...)...)
		with.Wait(t)
		if a, b := settled(t, without), settled(t, with); a != b || !strings.Contains(a, "300") || !strings.Contains(a, "700") {
			t.Errorf("%s\nwant\n%s", b, a)
		}
	})
}

// TestInheritedEnvironment: byte for byte, in order, with what looks like settings of
// ours or of the Go runtime's.
func TestInheritedEnvironment(t *testing.T) {
	eachHost(t, func(t *testing.T, h host) {
		env := []string{
			"GOMEMLIMIT=90%", "GOGC=off", "GODEBUG=gctrace=1", "GOTRACEBACK=none", "SBINIT_LOG_LEVEL=error",
			"TWICE=1", "TWICE=2", "EMPTY=", "no equals sign", "=", "LISTEN_PID=1234",
		}
		if without, with := h.outputs(t, env, "cat", "/proc/self/environ"); with != without {
			t.Errorf("%q\nwant %q", with, without)
		}
	})
}

// TestInheritedDirectory: the program is where the guard was started, and front and
// keeper hold up no file system.
func TestInheritedDirectory(t *testing.T) {
	eachHost(t, func(t *testing.T, h host) {
		h.o.Dir = testns.Dir(t)
		g := h.guard(t, nil, "--", testns.Tool(t), "sleep")
		g.ready(t)
		for what, p := range map[string]testns.Process{"/": g.front(), " /": g.keeper(), h.o.Dir: g.One("sleep")} {
			g.WaitFor(t, fmt.Sprintf("%v in %s", p, what), func() bool { return link(t, p, "cwd") == strings.TrimSpace(what) })
		}
	})
}

// link is what a link in a process's /proc directory leads to.
func link(t *testing.T, p testns.Process, name string) string {
	t.Helper()
	to, err := os.Readlink(fmt.Sprintf("/proc/%d/%s", p.HostPID, name))
	if err != nil {
		t.Fatal(err)
	}
	return to
}

// TestInheritedDescriptors: the program has those that the guard was started with, and
// none of the guard's own. The guard lets go of them.
func TestInheritedDescriptors(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		o.NotPID1 = true
		file := filepath.Join(testns.Dir(t), "file")
		open := fmt.Sprintf(`exec 3</dev/zero 7>%s 9<&3; exec "$@"`, file)
		c := testns.Start(t, o, "sh", "-c", open, "sh", testns.Build(t), "guard", "--", testns.Tool(t), "fds")
		g := &guarded{c, host{o: o}}
		g.ready(t)
		want := `^0=/dev/null\n1=pipe:\[\d+\]\n2=pipe:\[\d+\]\n3=/dev/zero\n7=` + regexp.QuoteMeta(file) + `\n9=/dev/zero\nready\n$`
		if !regexp.MustCompile(want).MatchString(g.Stdout()) {
			t.Errorf("%s\nwant %s", g.Stdout(), want)
		}
		stdout := link(t, g.One("fds"), "fd/1")
		for _, p := range []testns.Process{g.front(), g.keeper()} {
			g.WaitFor(t, fmt.Sprintf("%v to let go", p), func() bool {
				return !holds(t, p, stdout, file, "/dev/zero") && link(t, p, "fd/0") == "/dev/null" && link(t, p, "fd/1") == "/dev/null"
			})
			if link(t, p, "fd/2") != link(t, g.One("fds"), "fd/2") {
				t.Errorf("%v has another standard error", p)
			}
		}
	})
}

// holds says whether a process has a descriptor that leads to one of these.
func holds(t *testing.T, p testns.Process, targets ...string) bool {
	t.Helper()
	dir := fmt.Sprintf("/proc/%d/fd", p.HostPID)
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		to, _ := os.Readlink(filepath.Join(dir, e.Name()))
		for _, target := range targets {
			if to == target {
				return true
			}
		}
	}
	return false
}

// TestClosedDescriptors stay closed for the program.
func TestClosedDescriptors(t *testing.T) {
	eachHost(t, func(t *testing.T, h host) {
		for closed := range 8 {
			file := filepath.Join(testns.Dir(t), "streams")
			streams := []*testns.Stream{&h.o.Stdin, &h.o.Stdout, &h.o.Stderr}
			for fd, s := range streams {
				*s = testns.Default
				if closed>>fd&1 != 0 {
					*s = testns.Closed
				}
			}
			h.guard(t, nil, "--", testns.Tool(t), "streams", file).ends(t, 0)
			got, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for fd, line := range strings.Split(strings.TrimSpace(string(got)), "\n") {
				if (line == "closed") != (closed>>fd&1 != 0) {
					t.Errorf("closed %03b: %s", closed, got)
					break
				}
			}
		}
	})
}

// TestListenPID: descriptors that were passed to the guard are the program's.
func TestListenPID(t *testing.T) {
	testns.Each(t, func(t *testing.T, o testns.Options) {
		o.NotPID1 = true
		run := func(pid string) string {
			line := "LISTEN_FDS=1 LISTEN_PID=" + pid + ` exec "$@"`
			c := testns.Start(t, o, "sh", "-c", line, "sh", testns.Build(t), "guard", "--", "sh", "-c", `echo $$ $LISTEN_PID`)
			c.Wait(t)
			return settled(t, c)
		}
		var self, listen int
		if got := run("$$"); scan(got, &self, &listen) || self != listen {
			t.Errorf("the guard's own became %q", got)
		}
		if got := run("1"); scan(got, &self, &listen) || listen != 1 {
			t.Errorf("another's became %q", got)
		}
	})
}

func scan(line string, into ...any) (failed bool) {
	_, err := fmt.Sscan(line, into...)
	return err != nil
}

// TestProcessGroup: without a terminal the program leads a group, in the session of
// the guard.
func TestProcessGroup(t *testing.T) {
	eachHost(t, func(t *testing.T, h host) {
		g := h.guard(t, nil, "--", testns.Tool(t), "sleep")
		g.ready(t)
		program, front, keeper := g.One("sleep"), g.front(), g.keeper()
		if program.PGID != program.PID || keeper.PGID != keeper.PID || program.SID != front.SID || keeper.SID != front.SID {
			t.Errorf("%v\n%v\n%v", front, keeper, program)
		}
	})
}
