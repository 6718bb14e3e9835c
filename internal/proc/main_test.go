package proc

import (
	"os"
	"os/exec"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/testns"
)

// pauseEnv makes the test binary a program that does nothing, whatever its
// arguments: for tests that are about arguments.
const pauseEnv = "PROC_TEST_PAUSE"

func TestMain(m *testing.M) {
	for os.Getenv(pauseEnv) == "1" {
		unix.Pause()
	}
	testns.Main(m)
}

func open(t testing.TB) *FS {
	t.Helper()
	fs, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(fs.Close)
	return fs
}

// pauser is a program that does nothing, with these arguments and additions to
// its environment.
func pauser(path string, argv []string, env ...string) *exec.Cmd {
	return &exec.Cmd{Path: path, Args: argv, Env: append(env, pauseEnv+"=1")}
}

// executable is this test binary, at a path that any user can execute.
func executable() string { return testns.Self("")[0] }

// startProcess starts a process that is killed after the test. It has executed its
// program when this returns, as os/exec waits for that.
func startProcess(t testing.TB, cmd *exec.Cmd) int {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	return cmd.Process.Pid
}

// eventually waits until the condition is true.
func eventually(t testing.TB, what string, condition func() bool) {
	t.Helper()
	deadline := time.Now().Add(testns.WaitLimit)
	for !condition() {
		if time.Now().After(deadline) {
			t.Fatalf("waited %v for: %s", testns.WaitLimit, what)
		}
		time.Sleep(time.Millisecond)
	}
}
