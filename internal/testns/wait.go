package testns

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// WaitLimit is how long a test waits for anything: no expectation, but the time
// after which a wait on the slowest machine is a failure.
const WaitLimit = 60 * time.Second

// longestPause is between two looks at a condition, which may read all of /proc.
const longestPause = 50 * time.Millisecond

// PID is the host's number of the program under test; 0 if a minimal PID 1 had
// waited for it before the test could look.
func (c *Container) PID() int { return c.pid }

// Signal sends a signal to the program under test from the parent PID namespace, as
// docker kill does.
func (c *Container) Signal(sig syscall.Signal) {
	c.t.Helper()
	c.Kill(Process{HostPID: c.pid}, sig)
}

// Kill sends a signal to one process of the namespace, from outside.
func (c *Container) Kill(p Process, sig syscall.Signal) {
	c.t.Helper()
	if p.HostPID == 0 {
		c.t.Fatalf("sending signal %d to a process that has ended", int(sig))
	}
	if err := unix.Kill(p.HostPID, sig); err != nil {
		c.t.Fatalf("sending signal %d to process %d: %v", int(sig), p.HostPID, err)
	}
}

// Wait waits for the program under test to end.
func (c *Container) Wait(t testing.TB) Status {
	t.Helper()
	select {
	case <-c.ended:
		return c.status
	case <-time.After(WaitLimit):
		t.Fatalf("%s has not ended after %v\n%s", c.argv[0], WaitLimit, c.Dump())
		return Status{}
	}
}

// Running reports whether the program under test has not ended yet.
func (c *Container) Running() bool {
	select {
	case <-c.ended:
		return false
	default:
		return true
	}
}

// WaitFor waits until the condition is true, and fails the test with a picture of
// the namespace if it does not come true, or cannot any more.
func (c *Container) WaitFor(t testing.TB, what string, condition func() bool) {
	t.Helper()
	deadline := time.Now().Add(WaitLimit)
	for pause := time.Millisecond; !condition(); pause = min(2*pause, longestPause) {
		if time.Now().After(deadline) {
			t.Fatalf("waited %v for: %s\n%s", WaitLimit, what, c.Dump())
		}
		if c.dead() && !condition() {
			t.Fatalf("the namespace ended while waiting for: %s\n%s", what, c.Dump())
		}
		time.Sleep(pause)
	}
}

func (c *Container) dead() bool {
	select {
	case <-c.gone:
		return true
	default:
		return false
	}
}

// Died waits for a process to end, by its pidfd, and returns when that was noticed.
// It must be called while the process lives.
func (c *Container) Died(t testing.TB, p Process) time.Time {
	t.Helper()
	return <-c.Watch(t, p)
}

// Watch is [Container.Died] for a test which goes on: the channel gets the time.
// Nothing comes if the process does not end within [WaitLimit].
func (c *Container) Watch(t testing.TB, p Process) <-chan time.Time {
	t.Helper()
	fd, err := unix.PidfdOpen(p.HostPID, 0)
	if err != nil {
		t.Fatalf("pidfd_open of %v: %v", p, err)
	}
	died := make(chan time.Time, 1)
	go func() {
		defer close(died)
		defer unix.Close(fd)
		poll := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		for deadline := time.Now().Add(WaitLimit); time.Now().Before(deadline); {
			if n, _ := unix.Poll(poll, 1000); n == 1 {
				died <- time.Now()
				return
			}
		}
	}()
	return died
}

// watch waits for the launcher, and takes the status of the program.
func (c *Container) watch() {
	c.cmd.Wait()
	own := statusOf(unix.WaitStatus(c.cmd.ProcessState.Sys().(syscall.WaitStatus)))
	close(c.gone)
	if !c.options.NotPID1 {
		c.status = own
		close(c.ended)
	}
}

// watchReports takes the status of a program that a minimal PID 1 waited for.
func (c *Container) watchReports() {
	status, ok := <-c.reports.exited
	if !ok {
		status = Status{Signal: unix.SIGKILL} // the whole namespace was killed
	}
	c.status = status
	close(c.ended)
}

// Reaped is what the minimal PID 1 had to reap so far, the program under test aside.
func (c *Container) Reaped() []Reaped {
	c.reports.mu.Lock()
	defer c.reports.mu.Unlock()
	return append([]Reaped(nil), c.reports.reaped...)
}

// kill ends the namespace with the test, and proves it empty.
func (c *Container) kill() {
	if c.t.Failed() {
		c.t.Logf("at the end of the failed test:\n%s", c.Dump())
	}
	if err := c.end(); err != nil {
		c.t.Errorf("testns: %v", err)
	}
}

func (c *Container) end() error {
	if c.reports == nil {
		return nil // it was not even cloned
	}
	if !c.dead() {
		c.cmd.Process.Kill()
	}
	<-c.gone
	for _, e := range c.executions() {
		<-e.done
	}
	c.streams.close()
	defer c.pin.Close()
	return c.nothingLeft()
}

// nothingLeft waits until no process is in the PID namespace. Its PID 1 has been
// waited for, which the kernel lets happen after the others are gone, those aside
// which entered from outside and have a parent there.
func (c *Container) nothingLeft() error {
	deadline := time.Now().Add(WaitLimit)
	for {
		left := c.Processes()
		if len(left) == 0 {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%w: %v", errEscaped, left)
		}
		time.Sleep(time.Millisecond)
	}
}

var errEscaped = errors.New("processes outlived their namespace")

// Dump is a picture for the log of a failed test.
func (c *Container) Dump() string {
	var b strings.Builder
	fmt.Fprintf(&b, "argv: %s\n", strings.Join(c.argv, " "))
	if !c.Running() {
		fmt.Fprintf(&b, "ended with %v\n", c.status)
	}
	b.WriteString(Tree(c.Processes()))
	for fd, name := range []string{"terminal", "stdout", "stderr"} {
		if text := c.streams.out[fd].String(); text != "" {
			fmt.Fprintf(&b, "%s:\n%s\n", name, tail(text, 8<<10))
		}
	}
	return b.String()
}

func tail(s string, max int) string {
	if len(s) <= max {
		return s
	}
	return "...\n" + s[len(s)-max:]
}

// Stdout is what came out of the program's stdout so far; all of it once the
// namespace has ended.
func (c *Container) Stdout() string { return c.output(1) }

// Stderr is the same for stderr. Streams that are the terminal share one output.
func (c *Container) Stderr() string { return c.output(2) }

func (c *Container) output(fd int) string {
	o := c.streams.out[fd]
	if o != nil && c.dead() {
		<-o.eof
	}
	return o.String()
}

// Unstick begins to read a stream that was [Full]. What it was full of comes first.
func (c *Container) Unstick(fd int) {
	c.streams.out[fd] = collect(c.streams.stuck[fd])
	c.streams.stuck[fd] = nil
}

// Input is the writing end of the program's stdin, if that is a [Pipe], or the
// terminal.
func (c *Container) Input() *os.File {
	if c.streams.master != nil {
		return c.streams.master
	}
	return c.streams.input
}
