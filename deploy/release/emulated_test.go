//go:build release

package release

import (
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/sbinit/sbinit/internal/testns"
)

// leaves is a main program that leaves a child to PID 1 which ends, and one which does not, and says whether a zombie
// of the former is left. It ends by a signal that PID 1 has to pass on.
const leaves = `
sh -c 'true & sleep 600 & '
orphan=
until [ "$orphan" ]; do
  sleep 0.1
  for stat in /proc/[0-9]*/stat; do
    read -r pid name state parent rest <"$stat" || continue
    case "$name $state $parent" in *sleep*" S 1") orphan=$pid ;; esac
  done
done
trap 'exit 3' TERM
echo ready
while :; do sleep 0.1; done`

// testEmulated runs a program of another architecture, as people build it here and run it elsewhere. QEMU's user mode
// translates its system calls for the kernel of this machine. It has no PR_SET_CHILD_SUBREAPER: sbinit is PID 1.
func testEmulated(t *testing.T, program string) {
	emulator, err := exec.LookPath("qemu-aarch64-static")
	if err != nil {
		t.Fatalf("arm64 cannot be run (Debian package: qemu-user-static): %v", err)
	}
	run := func(args ...string) string {
		t.Helper()
		out, err := exec.Command(emulator, append([]string{program}, args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("sbinit %q: %v\n%s", args, err, out)
		}
		return string(out)
	}
	if got, want := run("version"), "("+runtime.Version()+") - git."+commit+"\n"; !strings.HasSuffix(got, want) {
		t.Errorf("sbinit version: %q, want it to end in %q", got, want)
	}
	if got := run("help"); !strings.Contains(got, "SIGNAL") || !strings.HasPrefix(got, "usage:\n") {
		t.Errorf("sbinit help: %q", got)
	}
	c := testns.Start(t, testns.Options{Env: testns.Environ("SBINIT_SOCKET=off", "SBINIT_EXIT_GRACE=0")},
		emulator, program, "--", "/bin/sh", "-c", leaves)
	c.WaitFor(t, "the main program", func() bool { return strings.Contains(c.Stdout(), "ready") })
	c.WaitFor(t, "the end of zombies", func() bool {
		for _, p := range c.Processes() {
			if !p.Alive() {
				return false
			}
		}
		return true
	})
	c.Signal(syscall.SIGTERM)
	if got := c.Wait(t); got != (testns.Status{Code: 3}) {
		t.Errorf("ended with %v, want the main program's 3; stderr: %s", got, c.Stderr())
	}
}
