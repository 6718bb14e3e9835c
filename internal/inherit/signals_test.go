package inherit

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/reap"
)

// asynchronous are the signals that must wait for whoever reads them: all but the faults,
// KILL and STOP. CONT is left out because it and the stopping ones cancel each other.
func asynchronous() (signals []unix.Signal) {
	for n := unix.Signal(1); n <= 64; n++ {
		if spared>>(n-1)&1 == 0 && n != unix.SIGCONT {
			signals = append(signals, n)
		}
	}
	return signals
}

// startAwait starts a probe that waits for the signals. They are blocked when it starts,
// so they cannot kill it before its first instruction: what comes then is in the kernel's
// hands.
func startAwait(t *testing.T, program []string, signals []unix.Signal) (pid int, ready string) {
	t.Helper()
	ready = filepath.Join(t.TempDir(), "ready")
	s := reap.Spec{Paths: program[:1], Argv: append(program, "await", ready), Env: os.Environ()}
	for _, n := range signals {
		s.Argv = append(s.Argv, strconv.Itoa(int(n)))
		s.Mask |= 1 << (n - 1)
	}
	pid, err := reap.Start(s)
	if err != nil {
		t.Fatal(err)
	}
	return pid, ready
}

func killAll(t *testing.T, pid int, signals []unix.Signal) {
	t.Helper()
	for _, n := range signals {
		if err := unix.Kill(pid, n); err != nil {
			t.Fatal(err)
		}
	}
}

func wait(t *testing.T, pid int) unix.WaitStatus {
	t.Helper()
	var status unix.WaitStatus
	for {
		_, err := unix.Wait4(pid, &status, 0, nil)
		if err == nil {
			return status
		}
		if err != unix.EINTR {
			t.Fatal(err)
		}
	}
}

func waitForFile(t *testing.T, file string) {
	t.Helper()
	for limit := time.Now().Add(30 * time.Second); ; time.Sleep(time.Millisecond) {
		if _, err := os.Stat(file); err == nil {
			return
		}
		if time.Now().After(limit) {
			t.Fatalf("no %s", file)
		}
	}
}

// A signal is not lost, and kills nobody, at whatever moment of the program's start it
// comes. The moments are 50 µs apart, and reach to when main runs.
func TestNoSignalIsLostAtStart(t *testing.T) {
	const rounds = 60
	signals := asynchronous()
	for i := range rounds {
		pid, _ := startAwait(t, []string{withStub(t)}, signals)
		moment := time.Now().Add(time.Duration(i) * 50 * time.Microsecond)
		for time.Now().Before(moment) {
		}
		killAll(t, pid, signals)
		if status := wait(t, pid); status != 0 {
			t.Fatalf("round %d: status %#x (signal %v, exit %d)", i, status, status.Signal(), status.ExitStatus())
		}
	}
}

func TestAllThreadsBlockTheSignals(t *testing.T) {
	signals := asynchronous()
	pid, ready := startAwait(t, []string{withStub(t)}, signals)
	waitForFile(t, ready)
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
	if err != nil || len(tasks) < 2 {
		t.Errorf("threads %q, %v", tasks, err)
	}
	for _, task := range tasks {
		// A thread that is about to make another blocks even the faults.
		if got, want := blockedIn(t, task), ^uint64(spared); got&want != want {
			t.Errorf("%s: blocked %016x, want %016x", task, got, want)
		}
	}
	killAll(t, pid, signals)
	if status := wait(t, pid); status != 0 {
		t.Errorf("status %#x", status)
	}
}

func blockedIn(t *testing.T, statusFile string) uint64 {
	t.Helper()
	status, err := os.ReadFile(statusFile)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), "SigBlk:\t")
	digits, _, _ := strings.Cut(rest, "\n")
	mask, err := strconv.ParseUint(digits, 16, 64)
	if err != nil {
		t.Fatal(err)
	}
	return mask
}

// The machine's own architecture is tested above. With SBINIT_ARM64=qemu-aarch64-static,
// or what else runs such programs here, so is the other assembly.
func TestARM64(t *testing.T) {
	probe, runner := stubFor(t, "arm64"), os.Getenv("SBINIT_ARM64")
	if runner == "" {
		return
	}
	runner, err := exec.LookPath(runner)
	if err != nil {
		t.Fatal(err)
	}
	shown := output(t, []string{"GOGC=off", "GOMEMLIMIT=90%"}, "trap '' HUP USR1; ulimit -Sn 234", runner, probe, "show")
	for name, want := range map[string]string{
		"stub": "true", "ignored": set(unix.SIGHUP, unix.SIGUSR1), "limit": "234 true", "runtime": "100 true 1",
	} {
		check(t, shown, name, want)
	}
	// QEMU keeps pending signals to itself, where no signalfd finds them: that they do not
	// end the program is all there is to see.
	signals := []unix.Signal{unix.SIGHUP, unix.SIGTERM, unix.SIGUSR1}
	pid, ready := startAwait(t, []string{runner, probe}, signals)
	killAll(t, pid, signals)
	waitForFile(t, ready)
	killAll(t, pid, []unix.Signal{unix.SIGKILL})
	if status := wait(t, pid); status.Signal() != unix.SIGKILL {
		t.Errorf("status %#x", status)
	}
}
