package reap

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

func bit(n unix.Signal) uint64 { return 1 << (n - 1) }

func TestChildHasTheMask(t *testing.T) {
	for _, mask := range []uint64{0, bit(unix.SIGUSR1) | bit(33) | bit(34) | bit(64), ^uint64(0)} {
		pid := sleeper(t, func(s *Spec) { s.Mask = mask })
		want := mask &^ (bit(unix.SIGKILL) | bit(unix.SIGSTOP))
		if got := statusField(t, pid, "SigBlk"); got != fmt.Sprintf("%016x", want) {
			t.Errorf("mask %x: SigBlk %s", mask, got)
		}
	}
}

func TestChildIgnoresWhatItShould(t *testing.T) {
	signal.Ignore(unix.SIGUSR2)
	defer signal.Reset(unix.SIGUSR2)
	if own := statusField(t, os.Getpid(), "SigIgn"); !strings.HasSuffix(own, "800") {
		t.Fatalf("SIGUSR2 should be ignored here, SigIgn %s", own)
	}
	for _, ignored := range []uint64{0, bit(unix.SIGHUP) | bit(unix.SIGCHLD) | bit(32) | bit(35) | bit(64)} {
		pid := sleeper(t, func(s *Spec) { s.Ignored = ignored })
		if got := statusField(t, pid, "SigIgn"); got != fmt.Sprintf("%016x", ignored) {
			t.Errorf("ignored %x: SigIgn %s", ignored, got)
		}
	}
}

// A signal of the parent's must not be lost or handled here when it comes to the child.
func TestChildGetsSignalsByItsMask(t *testing.T) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, unix.SIGTERM)
	defer signal.Stop(signals)
	pid := mustStart(t, command("sleep", "1000"))
	if err := unix.Kill(pid, unix.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if status := await(t, pid); !status.Signaled() || status.Signal() != unix.SIGTERM {
		t.Errorf("status %#x", status)
	}
	blocked := sleeper(t, func(s *Spec) { s.Mask = bit(unix.SIGTERM) })
	if err := unix.Kill(blocked, unix.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if got := statusField(t, blocked, "ShdPnd"); got != fmt.Sprintf("%016x", bit(unix.SIGTERM)) {
		t.Errorf("pending %s", got)
	}
}

func TestChildHasTheLimits(t *testing.T) {
	for resource, set := range map[int]func(*Spec, *unix.Rlimit){
		unix.RLIMIT_NOFILE:     func(s *Spec, l *unix.Rlimit) { s.NoFile = l },
		unix.RLIMIT_LOCKS:      func(s *Spec, l *unix.Rlimit) { s.Locks = l },
		unix.RLIMIT_SIGPENDING: func(s *Spec, l *unix.Rlimit) { s.SigPending = l },
	} {
		var own, got unix.Rlimit
		if err := unix.Getrlimit(resource, &own); err != nil {
			t.Fatal(err)
		}
		want := unix.Rlimit{Cur: 123, Max: own.Max}
		pid := sleeper(t, func(s *Spec) { set(s, &want) })
		if err := unix.Prlimit(pid, resource, nil, &got); err != nil || got != want {
			t.Errorf("%d: got %v, want %v, %v", resource, got, want, err)
		}
		pid = sleeper(t, func(s *Spec) {})
		if err := unix.Prlimit(pid, resource, nil, &got); err != nil || got != own {
			t.Errorf("%d, without a limit: got %v, own %v, %v", resource, got, own, err)
		}
	}
}

func TestChildHasTheEnvironmentExactly(t *testing.T) {
	env := []string{"A=1", "A=2", "no equals sign", "=", "", "EMPTY=", "GOGC=off", strings.Repeat("x", 100_000)}
	pid := sleeper(t, func(s *Spec) { s.Env = env })
	if got := procFile(t, pid, "environ"); got != strings.Join(env, "\x00")+"\x00" {
		t.Errorf("environ %.200q", got)
	}
	pid = sleeper(t, func(s *Spec) { s.Env = nil })
	if got := procFile(t, pid, "environ"); got != "" {
		t.Errorf("an empty environment became %q", got)
	}
}

func TestListenPIDIsTheChilds(t *testing.T) {
	pid := sleeper(t, func(s *Spec) {
		s.Env = []string{"LISTEN_FDS=1", "LISTEN_PID=1", "LISTEN_PIDFOO=1", "LISTEN_PID="}
		s.ListenPID = true
	})
	got := strings.Split(procFile(t, pid, "environ"), "\x00")
	own := "LISTEN_PID=" + strconv.Itoa(pid)
	if want := []string{"LISTEN_FDS=1", own, "LISTEN_PIDFOO=1", own}; !slices.Equal(nonEmpty(got), want) {
		t.Errorf("got %q, want %q", got, want)
	}
	pid = sleeper(t, func(s *Spec) { s.Env, s.ListenPID = []string{"A=1"}, true })
	if got := procFile(t, pid, "environ"); got != "A=1\x00" {
		t.Errorf("without the variable: %q", got)
	}
}

func nonEmpty(list []string) []string {
	return slices.DeleteFunc(list, func(s string) bool { return s == "" })
}

// The kernel writes an environment that has become shorter with what follows it, so only the
// strings are looked at above. The digits themselves:
func TestWritePID(t *testing.T) {
	p := plan{pidDigits: []byte("2147483647\x00")}
	p.writePID()
	if got, _, _ := strings.Cut(string(p.pidDigits), "\x00"); got != strconv.Itoa(os.Getpid()) {
		t.Errorf("got %q", got)
	}
}

func TestChildHasInheritableDescriptorsOnly(t *testing.T) {
	null, err := os.Open("/dev/null")
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	inheritable, err := unix.FcntlInt(null.Fd(), unix.F_DUPFD, 100)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(inheritable)
	var want []string
	for _, name := range descriptors(t, os.Getpid()) {
		fd, err := strconv.Atoi(name)
		if err != nil {
			t.Fatal(err)
		}
		if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err == nil && flags&unix.FD_CLOEXEC == 0 {
			want = append(want, name)
		}
	}
	if !slices.Contains(want, strconv.Itoa(inheritable)) {
		t.Fatalf("%d should be inheritable, among %v", inheritable, want)
	}
	pid := sleeper(t, func(s *Spec) {})
	eventually(t, fmt.Sprintf("the loader to close its files, and %v to be left", want), func() bool {
		return slices.Equal(descriptors(t, pid), want)
	})
}

func TestChildsWorkingDirectory(t *testing.T) {
	dir := t.TempDir()
	pid := sleeper(t, func(s *Spec) { s.Dir = dir })
	if got, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid)); got != dir {
		t.Errorf("got %q, want %q, %v", got, dir, err)
	}
	script(t, dir+"/here", "#!/bin/sh\nexit 7\n")
	pid = mustStart(t, Spec{Paths: []string{"./here"}, Argv: []string{"here"}, Dir: dir})
	if status := await(t, pid); Code(status) != 7 {
		t.Errorf("a relative path in Dir: status %#x", status)
	}
}

func TestChildsGroupAndSession(t *testing.T) {
	const group, session = 5, 6 // fields of proc_pid_stat(5)
	ownGroup, ownSession := statField(t, os.Getpid(), group), statField(t, os.Getpid(), session)
	for _, c := range []struct {
		name                 string
		change               func(*Spec)
		newGroup, newSession bool
	}{
		{"neither", func(s *Spec) {}, false, false},
		{"group", func(s *Spec) { s.ProcessGroup = true }, true, false},
		{"session", func(s *Spec) { s.Session = true }, true, true},
		{"both", func(s *Spec) { s.ProcessGroup, s.Session = true, true }, true, true},
	} {
		pid := sleeper(t, c.change)
		wantGroup, wantSession := ownGroup, ownSession
		if c.newGroup {
			wantGroup = pid
		}
		if c.newSession {
			wantSession = pid
		}
		if g, s := statField(t, pid, group), statField(t, pid, session); g != wantGroup || s != wantSession {
			t.Errorf("%s: pid %d has group %d and session %d", c.name, pid, g, s)
		}
	}
}

func TestChildLacksWhatIsToBeClosed(t *testing.T) {
	fd, err := unix.FcntlInt(0, unix.F_DUPFD, 100)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	pid := sleeper(t, func(s *Spec) { s.Close = []int{0, fd} })
	// The dynamic loader opens libraries by numbers that are free.
	eventually(t, "the descriptors to be closed", func() bool {
		open := descriptors(t, pid)
		return !slices.Contains(open, "0") && !slices.Contains(open, strconv.Itoa(fd))
	})
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err != nil {
		t.Errorf("closed here as well: %v", err)
	}
}

func TestChildJoinsAGroup(t *testing.T) {
	const group = 5 // field of proc_pid_stat(5)
	leader := sleeper(t, func(s *Spec) { s.ProcessGroup = true })
	pid := sleeper(t, func(s *Spec) { s.Group = leader })
	if got := statField(t, pid, group); got != leader {
		t.Errorf("group %d, want %d", got, leader)
	}
}

// TestChildHasTheTerminal: the slave as standard descriptors and controlling terminal, and
// no other descriptor.
func TestChildHasTheTerminal(t *testing.T) {
	master, slave, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer master.Close()
	fd := int(slave.Fd())
	pid := sleeper(t, func(s *Spec) { s.Stdio, s.Session, s.Foreground = []int{fd, fd, fd}, true, true })
	slave.Close()
	for n := range 3 {
		if leads, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", pid, n)); err != nil || leads != slave.Name() {
			t.Errorf("descriptor %d leads to %s (%v), want %s", n, leads, err, slave.Name())
		}
	}
	if _, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", pid, fd)); err == nil {
		t.Errorf("descriptor %d is there too", fd)
	}
	if group, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPGRP); err != nil || group != pid {
		t.Errorf("the foreground group is %d (%v), want %d", group, err, pid)
	}
}

// TestChildOfSomeStdio: those that are not named stay.
func TestChildOfSomeStdio(t *testing.T) {
	var p [2]int
	if err := unix.Pipe2(p[:], unix.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	defer unix.Close(p[1])
	pid := sleeper(t, func(s *Spec) { s.Stdio = []int{p[0]} })
	unix.Close(p[0])
	in, _ := os.Readlink(fmt.Sprintf("/proc/%d/fd/0", pid))
	leads, _ := os.Readlink(fmt.Sprintf("/proc/%d/fd/2", pid))
	own, err := os.Readlink("/proc/self/fd/2")
	if err != nil || !strings.HasPrefix(in, "pipe:") || leads != own {
		t.Errorf("0 leads to %s, 2 to %s, ours to %s (%v)", in, leads, own, err)
	}
}

// TestChildIsTheUser: with no group of ours, and in a directory that the user may enter.
func TestChildIsTheUser(t *testing.T) {
	if os.Geteuid() != 0 {
		if _, err := Start(Spec{Paths: []string{"/bin/true"}, Argv: []string{"true"}, User: &User{UID: 4242, GID: 4343}}); !errors.Is(err, unix.EPERM) {
			t.Errorf("without the right: %v", err)
		}
		return
	}
	pid := sleeper(t, func(s *Spec) { s.User, s.Dir = &User{UID: 4242, GID: 4343}, "/" })
	for field, want := range map[string]string{
		"Uid": "4242 4242 4242 4242", "Gid": "4343 4343 4343 4343", "Groups": "", "CapEff": "0000000000000000",
	} {
		if got := strings.Join(strings.Fields(statusField(t, pid, field)), " "); got != want {
			t.Errorf("%s: %q, want %q", field, got, want)
		}
	}
	closed := t.TempDir()
	if err := os.Chmod(closed, 0o700); err != nil {
		t.Fatal(err)
	}
	s := command("sleep", "1000")
	s.User, s.Dir = &User{UID: 4242, GID: 4343}, closed
	if _, err := Start(s); !errors.Is(err, unix.EACCES) || !strings.Contains(err.Error(), "working directory") {
		t.Errorf("a directory of somebody else's: %v", err)
	}
}
