package reap

import (
	"fmt"
	"os"
	"os/signal"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/testns"
)

func init() {
	testns.Register("exec", execProgram)
}

// execProgram becomes a program, while other goroutines make the runtime start threads.
func execProgram(argv []string) int {
	signal.Ignore(unix.SIGUSR1)
	signal.Notify(make(chan os.Signal, 1), unix.SIGTERM)
	for range 8 {
		go func() {
			for {
				unix.Nanosleep(&unix.Timespec{Nsec: 1000}, nil)
			}
		}()
	}
	s := command(argv...)
	s.Env = []string{"A=1", "A=2"}
	s.Mask, s.Ignored = bit(unix.SIGUSR2), bit(unix.SIGHUP)
	s.NoFile = &unix.Rlimit{Cur: 64, Max: 64}
	return ExitCode(Exec(s))
}

func startExec(t *testing.T, argv ...string) int {
	t.Helper()
	s := Spec{Paths: []string{"/proc/self/exe"}, Argv: testns.Self("exec", argv...), Env: os.Environ()}
	s.Argv[0] = "exec"
	return mustStart(t, s)
}

func TestExecBecomesTheProgram(t *testing.T) {
	for range 50 {
		pid := startExec(t, "sleep", "1000")
		eventually(t, "the second program", func() bool {
			return procFile(t, pid, "comm") == "sleep\n" && procFile(t, pid, "environ") == "A=1\x00A=2\x00"
		})
		var limit unix.Rlimit
		if err := unix.Prlimit(pid, unix.RLIMIT_NOFILE, nil, &limit); err != nil || limit.Cur != 64 {
			t.Errorf("limit %v, %v", limit, err)
		}
		if got, want := statusField(t, pid, "SigIgn"), fmt.Sprintf("%016x", bit(unix.SIGHUP)); got != want {
			t.Errorf("ignored %s", got)
		}
		if got, want := statusField(t, pid, "SigBlk"), fmt.Sprintf("%016x", bit(unix.SIGUSR2)); got != want {
			t.Errorf("blocked %s", got)
		}
		if err := unix.Kill(pid, unix.SIGTERM); err != nil {
			t.Fatal(err)
		}
		if status := await(t, pid); Code(status) != 143 {
			t.Fatalf("status %#x", status)
		}
	}
}

func TestExecFails(t *testing.T) {
	if status := await(t, startExec(t, "/absent")); Code(status) != 127 {
		t.Errorf("status %#x", status)
	}
}
