package reap

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/testns"
)

// patience bounds every wait for something that is sure to happen.
const patience = 30 * time.Second

func TestMain(m *testing.M) { testns.Main(m) }

// command is the spec of a program that PATH finds.
func command(argv ...string) Spec {
	path, set := os.LookupEnv("PATH")
	return Spec{Paths: Candidates(argv[0], path, set), Argv: argv, Env: os.Environ()}
}

func mustStart(t testing.TB, s Spec) int {
	t.Helper()
	pid, err := Start(s)
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// await drains until it has seen a change of the child, and returns its status.
func await(t testing.TB, pid int) unix.WaitStatus {
	t.Helper()
	var status unix.WaitStatus
	seen := false
	eventually(t, fmt.Sprintf("a change of process %d", pid), func() bool {
		if _, _, err := Drain(64, func(e Exit) {
			if e.PID == pid {
				status, seen = e.Status, true
			}
		}); err != nil {
			t.Fatal(err)
		}
		return seen
	})
	return status
}

func eventually(t testing.TB, what string, condition func() bool) {
	t.Helper()
	for limit := time.Now().Add(patience); !condition(); time.Sleep(time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatalf("waited %v for %s", patience, what)
		}
	}
}

// sleeper starts a process that stays to be looked at until the test ends.
func sleeper(t *testing.T, change func(*Spec)) int {
	t.Helper()
	s := command("sleep", "1000")
	change(&s)
	pid := mustStart(t, s)
	t.Cleanup(func() {
		unix.Kill(pid, unix.SIGKILL)
		await(t, pid)
	})
	return pid
}

// procFile reads a file of /proc/PID.
func procFile(t *testing.T, pid int, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// statusField returns a field of /proc/PID/status.
func statusField(t *testing.T, pid int, name string) string {
	t.Helper()
	for line := range strings.Lines(procFile(t, pid, "status")) {
		if value, found := strings.CutPrefix(line, name+":"); found {
			return strings.TrimSpace(value)
		}
	}
	t.Fatalf("/proc/%d/status has no %s", pid, name)
	return ""
}

// statField returns a field of /proc/PID/stat by its number in proc_pid_stat(5), from 3.
func statField(t *testing.T, pid, number int) int {
	t.Helper()
	stat := procFile(t, pid, "stat")
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	n, err := strconv.Atoi(fields[number-3])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// descriptors lists the open descriptors of a process.
func descriptors(t testing.TB, pid int) []string {
	t.Helper()
	entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	slices.Sort(names)
	return names
}

// script writes an executable file.
func script(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}
