package pid1_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/testns"
)

// TestStartSignalState: the main program starts with the mask and the ignored
// signals that sbinit was started with.
func TestStartSignalState(t *testing.T) {
	eachRole(t, func(t *testing.T, o testns.Options) {
		var all []syscall.Signal
		for sig := syscall.Signal(1); sig <= 64; sig++ {
			if sig != unix.SIGKILL && sig != unix.SIGSTOP {
				all = append(all, sig)
			}
		}
		for _, set := range []struct{ ignored, blocked []syscall.Signal }{
			{nil, nil},
			{[]syscall.Signal{unix.SIGHUP, unix.SIGCHLD, unix.SIGPIPE, 33}, []syscall.Signal{unix.SIGUSR1, 34, 64}},
			{all, all},
		} {
			o.Ignored, o.Blocked = set.ignored, set.blocked
			c := sbinit(t, o, nil, testns.Tool(t), "mask")
			ends(t, c, 0)
			want := fmt.Sprintf("blocked %016x\nignored %016x\n", bits(set.blocked), bits(set.ignored))
			c.WaitFor(t, "its answer", func() bool { return len(c.Stdout()) >= len(want) })
			if c.Stdout() != want {
				t.Errorf("got\n%swant\n%s", c.Stdout(), want)
			}
		}
	})
}

func bits(signals []syscall.Signal) (set uint64) {
	for _, sig := range signals {
		set |= 1 << (sig - 1)
	}
	return set
}

// under runs a shell which sets something up, and then becomes `sbinit -- ARGV...`.
func under(t *testing.T, o testns.Options, setup string, argv ...string) *testns.Container {
	t.Helper()
	shell := append([]string{"sh", "-c", setup + `; exec "$@"`, "-", testns.Build(t), "--"}, argv...)
	return testns.Start(t, o, shell...)
}

func printed(t *testing.T, c *testns.Container) string {
	t.Helper()
	ends(t, c, 0)
	return strings.TrimSpace(c.Stdout())
}

func TestStartLimits(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		o.SigPending = 888
		limits := script(`ulimit -Sn; ulimit -Hn; awk '/pending signals/ { print $4, $5 }' /proc/self/limits`)
		if got := printed(t, under(t, o, "ulimit -Sn 300; ulimit -Hn 777", limits...)); got != "300\n777\n888 888" {
			t.Errorf("the main program's limits are %s", got)
		}
	})
}

// TestStartDescriptors: the main program has what sbinit inherited and nothing that
// sbinit opened; sbinit itself keeps neither descriptors nor the working directory.
func TestStartDescriptors(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		dir := testns.Dir(t)
		if err := os.WriteFile(filepath.Join(dir, "seven"), nil, 0o666); err != nil {
			t.Fatal(err)
		}
		o.Dir = dir
		const setup = `exec 3<seven 7<seven`
		bare := testns.Start(t, o, "sh", "-c", setup+`; exec "$@"`, "-", testns.Tool(t), "fds")
		c := under(t, o, setup, testns.Tool(t), "fds")
		ready(t, bare)
		ready(t, c)
		pipes := regexp.MustCompile(`pipe:\[\d+\]`) // stdout and stderr, of each run its own
		want, got := pipes.ReplaceAllString(bare.Stdout(), "pipe"), pipes.ReplaceAllString(c.Stdout(), "pipe")
		if got != want || strings.Count(got, "/seven") != 2 {
			t.Errorf("the main program has\n%swithout sbinit\n%s", got, want)
		}
		program, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", c.One("fds").HostPID))
		if err != nil || program != dir {
			t.Errorf("the main program is in %s, %v", program, err)
		}
		c.WaitFor(t, "sbinit to let go of them", func() bool {
			cwd, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", c.PID()))
			return err == nil && cwd == "/" && !holds(t, c.PID(), dir)
		})
		c.Signal(unix.SIGKILL)
	})
}

func holds(t *testing.T, pid int, dir string) bool {
	t.Helper()
	links, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	if err != nil || len(links) == 0 {
		t.Fatalf("descriptors of %d: %v", pid, err)
	}
	for _, link := range links {
		if target, err := os.Readlink(link); err == nil && strings.HasPrefix(target, dir) {
			return true
		}
	}
	return false
}

// TestStartListenPID: socket activation names the process that is to take the
// descriptors (sd_listen_fds(3)); sbinit is not the one.
func TestStartListenPID(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		for given, want := range map[string]string{"1": "own", "77": "77"} {
			c := sbinit(t, o, []string{"LISTEN_FDS=1", "LISTEN_PID=" + given}, script(
				`if [ $LISTEN_PID = $$ ]; then echo own; else echo $LISTEN_PID; fi`)...)
			if got := printed(t, c); got != want {
				t.Errorf("LISTEN_PID=%s became %s", given, got)
			}
		}
	})
}

// TestStartGoVariables: Go's variables are meant for the container's programs.
func TestStartGoVariables(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		env := []string{"GODEBUG=inittrace=1,gctrace=1", "GOGC=1", "GOMEMLIMIT=90%", "GOMAXPROCS=64", "GOTRACEBACK=crash"}
		c := sbinit(t, o, env, "env")
		out := printed(t, c)
		for _, v := range env {
			if !strings.Contains(out, v) {
				t.Errorf("%s is missing in\n%s", v, out)
			}
		}
		if c.Stderr() != "" {
			t.Errorf("sbinit said %q", c.Stderr())
		}
	})
}

// TestStartStreams: the standard descriptors are passed through as they are.
func TestStartStreams(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		for kind, want := range map[testns.Stream]string{testns.Null: "/dev/null", testns.Pipe: "pipe:[", testns.Closed: "closed"} {
			o.Stdin, o.Stdout, o.Stderr = kind, kind, kind
			out := filepath.Join(testns.Dir(t), "out")
			ends(t, sbinit(t, o, nil, testns.Tool(t), "streams", out), 0)
			got, err := os.ReadFile(out)
			if err != nil || strings.Count(string(got), want) != 3 {
				t.Errorf("the main program's descriptors are %q, want %s (%v)", got, want, err)
			}
		}
	})
}

// TestStartStdinIsLeftAlone: what waits on stdin is the main program's.
func TestStartStdinIsLeftAlone(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		o.Stdin = testns.Pipe
		c := sbinit(t, o, nil, "cat")
		fmt.Fprint(c.Input(), "one\ntwo\n")
		c.WaitFor(t, "the echo", func() bool { return c.Stdout() == "one\ntwo\n" })
		c.Input().Close()
		ends(t, c, 0)
	})
}

// TestStartStdinUnread: as long as something waits on stdin, its end is not reached.
func TestStartStdinUnread(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		o.Stdin = testns.Pipe
		c := sbinit(t, o, []string{"SBINIT_STDIN_EOF=stop"}, script(
			`trap 'echo term; exit 3' TERM; sleep 1; read line; echo $line; while :; do sleep 0.1; done`)...)
		fmt.Fprint(c.Input(), "one\n")
		c.Input().Close()
		ends(t, c, 3)
		if c.Stdout() != "one\nterm\n" {
			t.Errorf("the main program printed %q", c.Stdout())
		}
	})
}

// TestStartStdinEOF: a main program that never reads does not outlive its controller.
func TestStartStdinEOF(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		o.Stdin = testns.Pipe
		c := sbinit(t, o, []string{"SBINIT_STDIN_EOF=stop"}, testns.Tool(t), "record")
		ready(t, c)
		healthy(t, c)
		c.Input().Close()
		c.WaitFor(t, "SIGTERM", func() bool { return strings.Contains(c.Stdout(), "signal 15 ") })
		finish(t, c)
	})
}

// TestExitStatus is what docker and coreutils lead one to expect.
func TestExitStatus(t *testing.T) {
	eachRole(t, func(t *testing.T, o testns.Options) {
		dir := testns.Dir(t)
		files := map[string]string{"plain": "exit 6\n", "nothing": "", "unreadable": "exit 1\n", "no-interpreter": "#!/no/such/interpreter\n"}
		for name, content := range files {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chmod(filepath.Join(dir, "unreadable"), 0o644); err != nil {
			t.Fatal(err)
		}
		o.Dir = dir
		tool := testns.Tool(t)
		for _, c := range []struct {
			argv []string
			env  []string
			want int
		}{
			{argv: []string{tool, "exit", "0"}, want: 0},
			{argv: []string{tool, "exit", "1"}, want: 1},
			{argv: []string{tool, "exit", "255"}, want: 255},
			{argv: []string{tool, "die", "1"}, want: 129},
			{argv: []string{tool, "die", "6"}, want: 134},
			{argv: []string{tool, "die", "9"}, want: 137},
			{argv: []string{tool, "die", "15"}, want: 143},
			{argv: []string{tool, "die", "34"}, want: 162},
			{argv: []string{tool, "die", "64"}, want: 192},
			{argv: []string{"./plain"}, want: 6},
			{argv: []string{"./nothing"}, want: 0},
			{argv: []string{"./unreadable"}, want: 126},
			{argv: []string{"/"}, want: 126},
			{argv: []string{"./no-interpreter"}, want: 127},
			{argv: []string{"no-such-program"}, want: 127},
			{argv: []string{"./no-such-program"}, want: 127},
			{argv: []string{tool, "die", "15"}, env: []string{"SBINIT_EXIT_OK=143,130"}, want: 0},
			{argv: []string{tool, "exit", "3"}, env: []string{"SBINIT_EXIT_OK=143,130"}, want: 3},
			{argv: []string{tool, "exit", "0"}, env: []string{"SBINIT_ORPHANS=some"}, want: 125},
		} {
			started := sbinit(t, o, c.env, c.argv...)
			if s := started.Wait(t); s != (testns.Status{Code: c.want}) {
				t.Errorf("%v %v: %v, want %d; said %q", c.env, c.argv, s, c.want, started.Stderr())
			}
		}
	})
}

// TestHints: the log says what a program that is not there may have been meant as.
func TestHints(t *testing.T) {
	for line, want := range map[string]string{
		"-- -- true":    `"--: not found.*"hint": "there are two --`,
		"-- version":    `"version: not found.*"hint": "after -- it is a program; .*--entrypoint /sbinit IMAGE version`,
		"gaurd -- true": `"hint": "did you mean guard\? as PID 1 only`,
		"-- no-such":    `not found`,
	} {
		c := testns.Start(t, testns.Options{Env: testns.Environ()}, append([]string{testns.Build(t)}, strings.Fields(line)...)...)
		ends(t, c, 127)
		if !regexp.MustCompile(want).MatchString(c.Stderr()) || strings.Contains(c.Stderr(), "hint") != strings.Contains(want, "hint") {
			t.Errorf("%s: %s, want %s", line, c.Stderr(), want)
		}
	}
}

// TestStartRefused: every fault is told, and the main program is not started.
func TestStartRefused(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		c := sbinit(t, o, []string{"SBINIT_ORPHANS=some", "SBINIT_KILL_GRACE=-1s", "SBINIT_EXIT_OK=300", "SBINIT_ORFANS=keep"}, "echo", "started")
		ends(t, c, 125)
		for _, want := range []string{"SBINIT_ORPHANS", "some", "SBINIT_KILL_GRACE", "-1s", "SBINIT_EXIT_OK", "300"} {
			if !strings.Contains(c.Stderr(), want) {
				t.Errorf("%s is missing in\n%s", want, c.Stderr())
			}
		}
		if c.Stdout() != "" {
			t.Errorf("it was started: %q", c.Stdout())
		}
	})
}

// TestStartRefusedInJSON: what is said before there is a log has its form too.
func TestStartRefusedInJSON(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		c := sbinit(t, o, []string{"SBINIT_LOG_FORMAT=json", "SBINIT_ORPHANS=some", "SBINIT_KILL_GRACE=\"", "SBINIT_ORFANS=keep"}, "true")
		ends(t, c, 125)
		var levels []string
		for line := range strings.Lines(c.Stderr()) {
			var entry struct{ Level, Msg, Logger string }
			if err := json.Unmarshal([]byte(line), &entry); err != nil || entry.Msg == "" || entry.Logger != "sbinit" {
				t.Errorf("%q: %v", line, err)
			}
			levels = append(levels, entry.Level)
		}
		if want := []string{"warn", "error", "error"}; !slices.Equal(levels, want) {
			t.Errorf("levels %q, want %q", levels, want)
		}
	})
}

func TestStartUnknownVariable(t *testing.T) {
	each(t, func(t *testing.T, o testns.Options) {
		c := sbinit(t, o, []string{"SBINIT_ORFANS=keep"}, "true")
		ends(t, c, 0)
		said(t, c, "SBINIT_ORFANS.*SBINIT_ORPHANS")
	})
}
