package proc

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/testns"
)

// lost makes the descriptors of an abandoned child: pipes or sockets.
func lost(kind string) (in, out *os.File, err error) {
	if kind == "sockets" {
		s, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			return nil, nil, err
		}
		unix.Close(s[1])
		f := os.NewFile(uintptr(s[0]), "socket")
		return f, f, nil
	}
	in, in2, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	in2.Close()
	out2, out, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	out2.Close()
	return in, out, nil
}

// abandonedChild KIND starts a child that nobody talks to, and prints what is found.
func abandonedChild(args []string) int {
	in, out, err := lost(args[0])
	if err != nil {
		return complain(err)
	}
	cmd := pauser(executable(), []string{"x"})
	cmd.Stdin, cmd.Stdout = in, out
	if err := cmd.Start(); err != nil {
		return complain(err)
	}
	fs, err := Open()
	if err != nil {
		return complain(err)
	}
	fmt.Println(fs.Abandoned(cmd.Process.Pid))
	return 0
}

func init() {
	testns.Register("abandoned-child", abandonedChild)
	testns.Register("other-user", otherUser)
}

// otherUser KIND is root without CAP_SYS_PTRACE, and looks into a child of user 1000,
// group 1001. It prints what it may by itself, what as the owner, and whether its
// thread is the same afterwards.
func otherUser(args []string) int {
	runtime.LockOSThread()
	in, out, err := lost(args[0])
	if err != nil {
		return complain(err)
	}
	cmd := pauser(executable(), []string{"node", "/x/acp"}, "SBINIT_KEEP=1")
	cmd.Stdin, cmd.Stdout = in, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 1000, Gid: 1001}}
	if err := startAsOther(cmd); err != nil {
		return complain(err)
	}
	fs, err := Open()
	if err != nil {
		return complain(err)
	}
	pid := cmd.Process.Pid
	found, err := fs.Abandoned(pid)
	fmt.Println("alone", found, denied(err))
	before := thread()
	err = fs.AsOwner(pid, func() (err error) {
		found, err = fs.Abandoned(pid)
		return err
	})
	fmt.Println("as owner", found, err)
	err = fs.AsOwner(pid, func() (err error) {
		found, err = fs.HasEnv(pid, "SBINIT_KEEP=1")
		return err
	})
	fmt.Println("environment", found, err)
	if after := thread(); after != before {
		fmt.Printf("the thread was %s and is %s\n", before, after)
	}
	return 0
}

// startAsOther starts a program as another user. Between fork and exec the child
// shares our memory, which its change of user makes undumpable; that is undone.
func startAsOther(cmd *exec.Cmd) error {
	if err := cmd.Start(); err != nil {
		return err
	}
	return unix.Prctl(unix.PR_SET_DUMPABLE, 1, 0, 0, 0)
}

// thread describes the identity of the calling thread, of which the process's
// dumpable flag is a part: it decides who may look into PID 1.
func thread() string {
	uid, _ := unix.SetfsuidRetUid(-1)
	gid, _ := unix.SetfsgidRetGid(-1)
	caps, err := capabilities()
	dumpable, _ := unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0)
	return fmt.Sprintf("fsuid %d fsgid %d capabilities %x (%v) dumpable %d", uid, gid, caps, err, dumpable)
}

func TestAsOwner(t *testing.T) {
	testns.RequireRoot(t)
	for _, kind := range []string{"pipes", "sockets"} {
		c := testns.Start(t, testns.Options{DockerCapabilities: true}, testns.Self("other-user", kind)...)
		c.Wait(t)
		if want := "alone false true\nas owner true <nil>\nenvironment true <nil>\n"; c.Stdout() != want {
			t.Errorf("%s: %s%swant %s", kind, c.Stdout(), c.Stderr(), want)
		}
	}
}

// TestIdentityComesBack: also the capabilities that were given up on purpose stay so.
func TestIdentityComesBack(t *testing.T) {
	testns.RequireRoot(t)
	runtime.LockOSThread() // never unlocked: the thread ends with this test
	caps, err := capabilities()
	if err != nil {
		t.Fatal(err)
	}
	caps[0].Effective &^= 1 << unix.CAP_NET_RAW
	caps.set()
	before := thread()
	undo := takeIdentity(1000, 1001)
	during := thread()
	undo()
	if during == before {
		t.Errorf("nothing changed: %s", during)
	}
	if after := thread(); after != before {
		t.Errorf("the thread was %s and is %s", before, after)
	}
}

// TestAsOwnerTriesOnce: what is no matter of permission is not tried again, and
// what the own user may not do is not either.
func TestAsOwnerTriesOnce(t *testing.T) {
	fs := open(t)
	own := startProcess(t, pauser(executable(), []string{"x"}))
	for _, c := range []struct {
		err error
		pid int
	}{{nil, own}, {unix.ENOENT, own}, {unix.EACCES, own}, {unix.EACCES, 1 << 30}} {
		calls := 0
		err := fs.AsOwner(c.pid, func() error { calls++; return c.err })
		if calls != 1 || err != c.err {
			t.Errorf("error %v, process %d: %d calls, %v", c.err, c.pid, calls, err)
		}
	}
}

func TestOwner(t *testing.T) {
	testns.RequireRoot(t)
	fs := open(t)
	cmd := pauser(executable(), []string{"x"})
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 4294967294, Gid: 1001}}
	if err := startAsOther(cmd); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	if uid, gid, err := fs.owner(cmd.Process.Pid); uint32(uid) != 4294967294 || gid != 1001 || err != nil {
		t.Errorf("%d, %d, %v", uid, gid, err)
	}
}
