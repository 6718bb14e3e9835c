package testns

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// requireEnv set to 1 turns "the kernel does not allow this here" from a skip into a
// failure: a test system that should allow it cannot fall silent.
const requireEnv = "SBINIT_REQUIRE_NS"

// skippedEnv names a file that gets a line for each skipped test: folder, test, reason.
const skippedEnv = "SBINIT_SKIPPED"

// Refuse skips the test, or fails it if a test system should have what it lacks.
func Refuse(t testing.TB, what string, reason error) {
	t.Helper()
	if os.Getenv(requireEnv) == "1" {
		t.Fatalf("%s: %v (%s=1)", what, reason, requireEnv)
	}
	if err := noteSkipped(t.Name(), what, reason); err != nil {
		t.Fatal(err)
	}
	t.Skipf("not possible here: %s: %v", what, reason)
}

// noteSkipped writes down the reason in few words, the same for each package.
func noteSkipped(test, what string, reason error) error {
	name := os.Getenv(skippedEnv)
	if name == "" {
		return nil
	}
	if errno := syscall.Errno(0); errors.As(reason, &errno) {
		reason = errno
	}
	folder, err := os.Getwd()
	if err != nil {
		return err
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "%s\t%s\t%s: %v\n", folder, test, what, reason)
	return errors.Join(err, f.Close())
}

// RequireProgram fails the test at once where a program of the system is missing, rather
// than wait for what that would do.
func RequireProgram(t testing.TB, name string) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Fatalf("%v (deploy/packages.sh knows its package)", err)
	}
}

// RequireNS skips the test, with the kernel's reason, where namespaces cannot be made,
// and with -short: what runs in them is another program, which the race detector does
// not see.
func RequireNS(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("-short leaves out what runs in namespaces")
	}
	if err := namespacesAllowed(); err != nil {
		Refuse(t, "making PID and mount namespaces", err)
	}
}

// namespacesAllowed tries it once, with a program that does nothing.
var namespacesAllowed = sync.OnceValue(func() error { return try(Options{}) })

// nobodyAllowed tries it without privilege.
var nobodyAllowed = sync.OnceValue(func() error { return try(Options{AsNobody: true}) })

func try(o Options) error {
	p := &probe{}
	c, err := start(p, o, Self("@nothing"))
	if err != nil {
		return err
	}
	<-c.ended
	if c.status != (Status{}) {
		return fmt.Errorf("the first program inside ended with %v", c.status)
	}
	return c.end()
}

// probe stands for the test of a try-out, which sets up nothing to be undone.
type probe struct{ testing.TB }

func init() { Register("@nothing", func([]string) int { return 0 }) }

// RequireRoot skips the test where no more than one user id can exist inside.
func RequireRoot(t testing.TB) {
	t.Helper()
	RequireNS(t)
	if !privileged() {
		Refuse(t, "several users in one namespace", unix.EPERM)
	}
}

// RequirePidsLimit skips the test where no cgroup can be made for [Options.PidsMax].
func RequirePidsLimit(t testing.TB) {
	t.Helper()
	RequireNS(t)
	if _, err := pidsCgroup(t, 1000); err != nil {
		Refuse(t, "a cgroup with a limit of processes", err)
	}
}

// RequirePidMax skips the test on a kernel where kernel.pid_max is one for the whole
// machine.
func RequirePidMax(t testing.TB) {
	t.Helper()
	RequireNS(t)
	if err := pidMaxOfNamespace(); err != nil {
		Refuse(t, "kernel.pid_max of a namespace", err)
	}
}

// pidMaxOfNamespace says why kernel.pid_max cannot be set for a PID namespace alone:
// it belongs to that since Linux 6.14.
var pidMaxOfNamespace = sync.OnceValue(func() error {
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		return os.NewSyscallError("uname", err)
	}
	if release := unix.ByteSliceToString(u.Release[:]); !atLeast(release, 6, 14) {
		return fmt.Errorf("kernel %s has one for the machine", release)
	}
	return nil
})

func atLeast(release string, major, minor int) bool {
	part := strings.SplitN(release, ".", 3)
	if len(part) < 2 {
		return false
	}
	a, errA := strconv.Atoi(part[0])
	b, errB := strconv.Atoi(part[1])
	if errA != nil || errB != nil {
		return false
	}
	return a > major || a == major && b >= minor
}

// Each runs a test with privilege and without, as far as the run has it. The
// options it is given are the base of its own.
func Each(t *testing.T, run func(t *testing.T, o Options)) {
	RequireNS(t)
	if !privileged() {
		run(t, Options{})
		return
	}
	t.Run("root", func(t *testing.T) { run(t, Options{}) })
	t.Run("nobody", func(t *testing.T) {
		if err := nobodyAllowed(); err != nil {
			Refuse(t, "user namespaces without privilege", err)
		}
		run(t, Options{AsNobody: true})
	})
}
