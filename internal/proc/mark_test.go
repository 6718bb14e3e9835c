package proc

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/testns"
)

func init() {
	testns.Register("mark-other-user", markOtherUser)
}

const someMark = 1<<62 | 42

// startTool starts a process of a program of testns's.
func startTool(t *testing.T, args ...string) ID {
	t.Helper()
	pid := startProcess(t, exec.Command(testns.Tool(t), args...))
	return identify(t, pid)
}

func identify(t *testing.T, pid int) ID {
	t.Helper()
	s, err := open(t).Stat(pid)
	if err != nil {
		t.Fatal(err)
	}
	return s.ID
}

func TestNoMark(t *testing.T) {
	fs := open(t)
	id := startTool(t, "mute")
	if mark := fs.Mark(id.PID); mark != 0 {
		t.Errorf("an unlimited process has mark %d", mark)
	}
	if mark := fs.Mark(1 << 30); mark != 0 {
		t.Errorf("who is not there has mark %d", mark)
	}
}

// TestMarkInherited: over fork, exec, setsid and a double fork; not backwards. The
// hard limit stays what it was.
func TestMarkInherited(t *testing.T) {
	fs := open(t)
	path := filepath.Join(testns.Dir(t), "pid")
	cmd := exec.Command("sh", "-c", fmt.Sprintf(`read -r go; %s daemon sh -c 'echo $$ >%s.new; mv %s.new %s; exec %s mute'; read -r more`,
		testns.Tool(t), path, path, path, testns.Tool(t)))
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	sh := identify(t, startProcess(t, cmd))
	if err := fs.SetMark(sh, someMark); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(in, "go")
	var far int
	eventually(t, "the daemon", func() bool {
		text, _ := os.ReadFile(path)
		far, _ = strconv.Atoi(strings.TrimSpace(string(text)))
		return far != 0
	})
	defer unix.Kill(far, unix.SIGKILL)
	eventually(t, "its exec", func() bool {
		names, err := fs.Names(far)
		return err == nil && names.Exe == "tool"
	})
	for _, pid := range []int{sh.PID, far} {
		if mark := fs.Mark(pid); mark != someMark {
			t.Errorf("process %d of %v has mark %d", pid, []int{sh.PID, far}, mark)
		}
	}
	if mark := fs.Mark(os.Getpid()); mark != 0 {
		t.Errorf("we have mark %d", mark)
	}
	var limit unix.Rlimit
	if err := unix.Prlimit(far, unix.RLIMIT_LOCKS, nil, &limit); err != nil || limit.Max != unix.RLIM_INFINITY {
		t.Errorf("the limits are %v, %v", limit, err)
	}
	if err := fs.SetMark(sh, someMark+1); err != nil || fs.Mark(sh.PID) != someMark+1 {
		t.Errorf("marked anew: %d, %v", fs.Mark(sh.PID), err)
	}
}

// TestMarkOverSetuid: also a process that changes its user bears it.
func TestMarkOverSetuid(t *testing.T) {
	testns.RequireRoot(t)
	fs := open(t)
	cmd := exec.Command("sh", "-c", "read -r go; exec "+testns.Tool(t)+" setuid 1000")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	id := identify(t, startProcess(t, cmd))
	if err := fs.SetMark(id, someMark); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(in, "go")
	eventually(t, "the other user", func() bool {
		uid, _, err := fs.owner(id.PID)
		return err == nil && uid == 1000
	})
	if mark := fs.Mark(id.PID); mark != someMark {
		t.Errorf("it has mark %d", mark)
	}
}

// TestMarkAboveHardLimit is refused by the kernel, and changes nothing.
func TestMarkAboveHardLimit(t *testing.T) {
	fs := open(t)
	id := startTool(t, "mute")
	low := unix.Rlimit{Cur: 7, Max: 1000}
	if err := unix.Prlimit(id.PID, unix.RLIMIT_LOCKS, &low, nil); err != nil {
		t.Fatal(err)
	}
	if err := fs.SetMark(id, someMark); err != unix.EINVAL {
		t.Errorf("%v", err)
	}
	if mark := fs.Mark(id.PID); mark != 7 {
		t.Errorf("it has mark %d", mark)
	}
}

// TestMarkOfAnother: the process has ended, or its number is another's, which keeps
// the limit that it had.
func TestMarkOfAnother(t *testing.T) {
	fs := open(t)
	id := startTool(t, "mute")
	other := ID{PID: id.PID, Start: id.Start - 1}
	if err := fs.SetMark(other, someMark); err != unix.ESRCH {
		t.Errorf("%v", err)
	}
	if mark := fs.Mark(id.PID); mark != 0 {
		t.Errorf("it has mark %d", mark)
	}
	if err := fs.SetMark(ID{PID: 1 << 30}, someMark); err != unix.ESRCH {
		t.Errorf("nobody: %v", err)
	}
}

// markOtherUser is root under docker's capabilities, and marks a process of user 1000,
// group 1001. It prints how, and whether its thread is the same afterwards.
func markOtherUser([]string) int {
	runtime.LockOSThread()
	cmd := pauser(executable(), []string{"x"})
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 1000, Gid: 1001}}
	if err := startAsOther(cmd); err != nil {
		return complain(err)
	}
	fs, err := Open()
	if err != nil {
		return complain(err)
	}
	s, err := fs.Stat(cmd.Process.Pid)
	if err != nil {
		return complain(err)
	}
	fmt.Println("alone", fs.setMark(s.ID, someMark) == unix.EPERM, fs.Mark(s.PID))
	before := realThread()
	fmt.Println("as owner", fs.SetMark(s.ID, someMark), fs.Mark(s.PID) == someMark)
	if after := realThread(); after != before {
		fmt.Printf("the thread was %s and is %s\n", before, after)
	}
	return 0
}

// realThread adds all ids to what thread says.
func realThread() string {
	ruid, euid, suid := unix.Getresuid()
	rgid, egid, sgid := unix.Getresgid()
	return fmt.Sprint(ruid, euid, suid, rgid, egid, sgid, " ", thread())
}

func TestMarkOtherUser(t *testing.T) {
	testns.RequireRoot(t)
	c := testns.Start(t, testns.Options{DockerCapabilities: true}, testns.Self("mark-other-user")...)
	c.Wait(t)
	if want := "alone true 0\nas owner <nil> true\n"; c.Stdout() != want {
		t.Errorf("%s%swant %s", c.Stdout(), c.Stderr(), want)
	}
}
