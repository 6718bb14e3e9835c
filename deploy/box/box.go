// Package box runs an init as PID 1 of namespaces of its own, for the programs that
// measure it.
package box

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
)

// argument makes a program the one that sets up the namespaces and then executes an
// init in its own place.
const argument = "inside-box"

// Enter comes first in main, and in TestMain, of whoever calls Start. Where it is inside
// a new box it does not return.
func Enter() {
	if len(os.Args) < 3 || os.Args[1] != argument {
		return
	}
	fmt.Fprintln(os.Stderr, "box:", inside(os.Args[2:]))
	os.Exit(125)
}

// A Box is a PID namespace with an init as PID 1, which has pipes to it.
type Box struct {
	PID int // of the init, seen from here
	In  io.WriteCloser
	Out *bufio.Reader

	cmd *exec.Cmd
}

// Environ is what a measured program gets, whoever measures: PATH, HOME, and more.
func Environ(more ...string) []string {
	return append([]string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/"}, more...)
}

// Start executes argv as PID 1 of new namespaces, with variables beside Environ's; in a
// user namespace too where that is what it takes. argv[0] is a path. The kernel kills
// the box when the calling thread ends: callers lock it.
func Start(argv []string, env ...string) (*Box, error) {
	b, err := start(argv, env, 0)
	if errors.Is(err, syscall.EPERM) {
		b, err = start(argv, env, syscall.CLONE_NEWUSER)
	}
	if err != nil {
		return nil, fmt.Errorf("uid %d may not make a PID namespace here: %w", os.Getuid(), err)
	}
	return b, nil
}

func start(argv, env []string, flags uintptr) (*Box, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self, append([]string{argument}, argv...)...)
	cmd.Env = Environ(env...)
	cmd.Dir = "/"
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWPID | syscall.CLONE_NEWNS | flags,
		Setsid:     true,
		Pdeathsig:  syscall.SIGKILL,
	}
	if flags&syscall.CLONE_NEWUSER != 0 {
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &Box{cmd.Process.Pid, in, bufio.NewReader(out), cmd}, nil
}

// Kill ends PID 1, and with it all that is in the box.
func (b *Box) Kill() {
	b.cmd.Process.Kill()
	b.cmd.Wait()
}

// inside gives the new PID namespace its own /proc, and a /run for sbinit's socket, and
// executes argv. It returns only if that failed.
func inside(argv []string) error {
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("making mounts private: %w", err)
	}
	if err := syscall.Mount("proc", "/proc", "proc", syscall.MS_NOSUID|syscall.MS_NODEV|syscall.MS_NOEXEC, ""); err != nil {
		return fmt.Errorf("mounting /proc: %w", err)
	}
	if err := syscall.Mount("tmpfs", "/run", "tmpfs", syscall.MS_NOSUID|syscall.MS_NODEV|syscall.MS_NOEXEC, ""); err != nil {
		return fmt.Errorf("mounting /run: %w", err)
	}
	return fmt.Errorf("executing %s: %w", argv[0], syscall.Exec(argv[0], argv, os.Environ()))
}
