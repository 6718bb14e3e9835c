package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// insideArg makes this program the one that sets up a namespace and then executes
// sbinit in its own place.
const insideArg = "inside"

// quiet is a main program that starts so many others, says so, and then does nothing,
// as they do.
const quiet = `i=0; while [ $i -lt "$1" ]; do sleep 1000000 & i=$((i+1)); done; echo ready; exec sleep 1000000`

// measure runs sbinit as PID 1 among so many processes, until it has come to rest.
func measure(sbinit string, others int) (usage, error) {
	sbinit, err := filepath.Abs(sbinit)
	if err != nil {
		return usage{}, err
	}
	argv := []string{sbinit, "--", "/bin/sh", "-c", quiet, "sh", strconv.Itoa(others)}
	c, err := start(argv, 0)
	if errors.Is(err, syscall.EPERM) {
		c, err = start(argv, syscall.CLONE_NEWUSER)
	}
	if err != nil {
		return usage{}, fmt.Errorf("uid %d may not make a PID namespace here: %w", os.Getuid(), err)
	}
	defer c.kill()
	if line, err := c.out.ReadString('\n'); err != nil {
		return usage{}, fmt.Errorf("sbinit's main program said %q: %w", line, err)
	}
	return settled(c.cmd.Process.Pid)
}

// A container is a PID namespace with sbinit as PID 1.
type container struct {
	cmd *exec.Cmd
	out *bufio.Reader // what its main program says
}

// start executes argv as PID 1 of new namespaces.
func start(argv []string, flags uintptr) (*container, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self, append([]string{insideArg}, argv...)...)
	cmd.Env = []string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/"}
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
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &container{cmd, bufio.NewReader(out)}, cmd.Start()
}

// kill ends PID 1, and with it all that is in the namespace.
func (c *container) kill() {
	c.cmd.Process.Kill()
	c.cmd.Wait()
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

// limit is how long a slow machine may take to start, and to come to rest.
const limit = time.Minute

// rest is how long nothing may change: three of sbinit's looks for new processes.
const rest = 3 * time.Second

// settled waits until sbinit's memory has not changed for a while.
func settled(pid int) (usage, error) {
	last, since := usage{}, time.Now()
	for begun := since; time.Since(since) < rest; time.Sleep(rest / 30) {
		now, err := read(pid)
		if err != nil {
			return usage{}, err
		}
		if now != last {
			last, since = now, time.Now()
		}
		if time.Since(begun) > limit {
			return usage{}, fmt.Errorf("sbinit has not come to rest after %v: %+v", limit, now)
		}
	}
	return last, nil
}
