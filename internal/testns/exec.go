package testns

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Execution is a program which entered the namespaces from outside, as docker exec
// does it: its parent there is 0.
type Execution struct {
	c      *Container
	cmd    *exec.Cmd
	output bytes.Buffer
	done   chan struct{}
}

// Exec starts argv in the namespaces from outside, with the container's environment
// and folder, and in a session of its own. It uses nsenter(1), which waits for the
// program and mirrors its status: entering a user namespace takes a process of one
// thread, which no Go program is. The root is the program's, which may be a chroot's.
func (c *Container) Exec(t testing.TB, argv ...string) *Execution {
	t.Helper()
	args := []string{"--target", strconv.Itoa(c.cmd.Process.Pid), "--pid", "--mount", "--root", "--wdns=" + c.options.Dir}
	attr := &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	who := identity{nobody: c.options.AsNobody && privileged()}
	if who.nobody || !privileged() {
		args = append(args, "--user", "--preserve-credentials")
	}
	e := &Execution{c: c, done: make(chan struct{})}
	e.cmd = exec.Command("nsenter", append(append(args, "--", "setsid"), argv...)...)
	e.cmd.Env, e.cmd.SysProcAttr = c.options.Env, attr
	// Files, not pipes: Wait must not wait for what the program leaves behind.
	out, err := os.CreateTemp(Dir(t), "exec-")
	if err != nil {
		t.Fatal(err)
	}
	e.cmd.Stdout, e.cmd.Stderr = out, out
	if err := spawn(who, e.cmd); err != nil {
		t.Fatalf("entering the namespace: %v", err)
	}
	go func() {
		defer close(e.done)
		e.cmd.Wait()
		out.Seek(0, 0)
		e.output.ReadFrom(out)
		out.Close()
	}()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.execs = append(c.execs, e)
	return e
}

func (c *Container) executions() []*Execution {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.execs
}

// Wait waits for the program, and returns its status and all that it printed.
func (e *Execution) Wait(t testing.TB) (Status, string) {
	t.Helper()
	select {
	case <-e.done:
		ws := e.cmd.ProcessState.Sys().(syscall.WaitStatus)
		return statusOf(unix.WaitStatus(ws)), e.output.String()
	case <-time.After(WaitLimit):
		t.Fatalf("%s has not ended after %v\n%s", e.cmd, WaitLimit, e.c.Dump())
		return Status{}, ""
	}
}

// Process is the program as the namespace knows it, once it is there.
func (e *Execution) Process(t testing.TB) Process {
	t.Helper()
	var found []Process
	e.c.WaitFor(t, fmt.Sprintf("the program of %s", e.cmd), func() bool {
		found = nil
		for _, p := range e.c.Processes() {
			if p.hostPPID == e.cmd.Process.Pid && len(p.Args) > 0 && !p.Is("nsenter") && !p.Is("setsid") {
				found = append(found, p)
			}
		}
		return len(found) == 1
	})
	return found[0]
}
