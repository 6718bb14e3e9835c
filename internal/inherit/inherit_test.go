package inherit

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/testns"
)

func TestSignalsAreKnownWithStub(t *testing.T) {
	testns.RequireNS(t)
	testns.Each(t, func(t *testing.T, o testns.Options) {
		o.Ignored = []syscall.Signal{unix.SIGHUP, unix.SIGCHLD, unix.SIGUSR1, 32, 34, 64}
		o.Blocked = []syscall.Signal{unix.SIGTERM, unix.SIGUSR2, unix.SIGURG, 33, 63}
		c := testns.Start(t, o, withStub(t), "show")
		c.Wait(t)
		check(t, c.Stdout(), "stub", "true")
		check(t, c.Stdout(), "blocked", "true")
		check(t, c.Stdout(), "ignored", set(o.Ignored...))
		check(t, c.Stdout(), "mask", set(o.Blocked...))
	})
}

// Without the stub it is Go's view, see the package's comment.
func TestSignalsAreGuessedWithoutStub(t *testing.T) {
	testns.RequireNS(t)
	testns.Each(t, func(t *testing.T, o testns.Options) {
		o.Ignored = []syscall.Signal{unix.SIGHUP, unix.SIGCHLD, unix.SIGTSTP, 34}
		o.Blocked = []syscall.Signal{unix.SIGTERM, unix.SIGUSR2, 63}
		c := testns.Start(t, o, withoutStub(t), "show")
		c.Wait(t)
		check(t, c.Stdout(), "stub", "false")
		check(t, c.Stdout(), "blocked", "false")
		check(t, c.Stdout(), "ignored", set(unix.SIGHUP, unix.SIGTSTP, 34))
		check(t, c.Stdout(), "mask", set(unix.SIGUSR2, 63))
	})
}

// What cat(1) says of itself must not depend on who started it.
func TestChildIsAsIfStartedPlainly(t *testing.T) {
	testns.RequireNS(t)
	env := []string{"A=1", "GOGC=50", "A=2", "", "no equals sign", "GOMEMLIMIT=90%", "GODEBUG=gctrace=1",
		"GOMAXPROCS=3", "GOTRACEBACK=crash", "GOGC=70", "GOGCX=1", "GO", "LAST=1"}
	testns.Each(t, func(t *testing.T, o testns.Options) {
		o.Ignored = []syscall.Signal{unix.SIGHUP, unix.SIGINT, unix.SIGPIPE, unix.SIGCHLD, 33, 40}
		o.Blocked = []syscall.Signal{unix.SIGTERM, unix.SIGUSR2, unix.SIGURG, 32, 63}
		o.Env = env
		for _, file := range []string{"status", "limits", "environ"} {
			cat := []string{"/bin/cat", "/proc/self/" + file}
			want := catOutput(t, o, file, cat)
			if got := catOutput(t, o, file, append([]string{withStub(t), "run"}, cat...)); got != want {
				t.Errorf("%s: got\n%q\nwant\n%q", file, got, want)
			}
		}
	})
}

// catOutput returns what cat printed, of status only the signals that are blocked,
// ignored and caught. The launcher, a Go program, may leave a blocked SIGURG pending.
func catOutput(t *testing.T, o testns.Options, file string, argv []string) string {
	t.Helper()
	c := testns.Start(t, o, argv...)
	if status := c.Wait(t); status != (testns.Status{}) {
		t.Fatalf("%q: %v, %s", argv, status, c.Stderr())
	}
	if file != "status" {
		return c.Stdout()
	}
	var signals strings.Builder
	for line := range strings.Lines(c.Stdout()) {
		if name, _, _ := strings.Cut(line, ":"); slices.Contains([]string{"SigBlk", "SigIgn", "SigCgt"}, name) {
			signals.WriteString(line)
		}
	}
	return signals.String()
}

// Two names of the runtime's, in an environment of which the stub must change nothing else.
func TestEnvironment(t *testing.T) {
	env := []string{"PWD=/", "GOGC=off", "GOMEMLIMIT=90%", "GODEBUG=gctrace=1,inittrace=1", "GOMAXPROCS=7", "GOTRACEBACK=crash", "GOROOT=/x"}
	shown := output(t, env, "cd /", withStub(t), "show")
	check(t, shown, "intact", "true")
	check(t, shown, "runtime", "100 true 1")
	if value(t, shown, "processors") == "7" {
		t.Error("the runtime has read GOMAXPROCS")
	}
	for _, entry := range env {
		if !strings.Contains(value(t, shown, "environ"), `"`+entry+`"`) {
			t.Errorf("%s is missing in %s", entry, value(t, shown, "environ"))
		}
	}
}

func TestRuntimeIsResetWithoutStub(t *testing.T) {
	env := []string{"GOGC=50", "GOMEMLIMIT=1GiB", "GOMAXPROCS=7"}
	shown := output(t, env, "true", withoutStub(t), "show")
	check(t, shown, "runtime", "100 true 1")
	check(t, shown, "intact", "true")
}

// The reason for the stub: this test is to be changed when Go changes.
func TestRuntimeDiesOfTheEnvironmentWithoutStub(t *testing.T) {
	cmd := exec.Command(withoutStub(t), "show")
	cmd.Env = []string{"GOMEMLIMIT=90%"}
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "malformed GOMEMLIMIT") {
		t.Errorf("%v: %s", err, out)
	}
}

func TestLimitOfFilesIsTheInherited(t *testing.T) {
	for _, probe := range []string{withStub(t), withoutStub(t)} {
		shown := output(t, os.Environ(), "ulimit -Sn 234", probe, "show")
		check(t, shown, "limit", "234 true")
		check(t, shown, "raised", "true")
		limits := output(t, os.Environ(), "ulimit -Sn 234", probe, "run", "/bin/sh", "-c", "ulimit -Sn")
		if limits != "234\n" {
			t.Errorf("the child has %s", limits)
		}
	}
}

func TestDescriptorsAreTheInherited(t *testing.T) {
	inherited := value(t, output(t, os.Environ(), "true", withStub(t), "show"), "descriptors")
	if inherited != "[]" {
		t.Logf("%s are inherited by the test itself", inherited)
	}
	for _, probe := range []string{withStub(t), withoutStub(t)} {
		shown := output(t, os.Environ(), "exec 7</dev/null 9>/dev/null", probe, "show")
		want := append([]string{"7", "9"}, strings.Fields(strings.Trim(inherited, "[]"))...)
		check(t, shown, "descriptors", "["+strings.Join(want, " ")+"]")
	}
}

func TestDescriptorsWithoutProc(t *testing.T) {
	testns.RequireNS(t)
	testns.Each(t, func(t *testing.T, o testns.Options) {
		o.NoProc = true
		c := testns.Start(t, o, "/bin/sh", "-c", `exec 7</dev/null 9>/dev/null; exec "$0" show`, withStub(t))
		c.Wait(t)
		check(t, c.Stdout(), "descriptors", "[7 9]")
		check(t, c.Stdout(), "intact", "false")
	})
}

func TestPossibleDescriptorsAreBounded(t *testing.T) {
	if got := possibleDescriptors(); len(got) > scanLimit || !slices.Contains(got, 3) {
		t.Errorf("%d numbers: %v", len(got), got)
	}
}

// The package must work in a build without the stub, as the tests' own, also with cgo.
func TestThisProgramHasNoStub(t *testing.T) {
	if Stub() || Blocked() {
		t.Fatal("go test was given the linker flag of the stub")
	}
	if got := Environ(); !slices.Equal(got, os.Environ()) {
		t.Errorf("environment %q", got)
	}
}

func TestOtherArchitecturesBuild(t *testing.T) {
	for _, arch := range []string{"arm", "riscv64", "386"} {
		build(t, "plain-"+arch, arch, "", "-s -w")
	}
	for _, arch := range []string{"amd64", "arm64"} {
		stubFor(t, arch)
	}
}
