//go:build e2e

package e2e

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// commandLimit bounds one docker command, settleLimit a condition that is due at once; both only end a broken test.
const (
	commandLimit = 2 * time.Minute
	settleLimit  = 30 * time.Second
)

// result is what a docker command, or the program that it ran, gave back.
type result struct {
	stdout, stderr string
	code           int
	took           time.Duration
}

// docker runs one docker command to its end. A status that is not 0 is the caller's to judge.
func docker(t *testing.T, args ...string) result {
	t.Helper()
	return dockerWithInput(t, "", args...)
}

func dockerWithInput(t *testing.T, input string, args ...string) result {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), commandLimit)
	defer cancel()
	var stdout, stderr bytes.Buffer
	cmd := daemon.command(ctx, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(input), &stdout, &stderr
	began := time.Now()
	err := cmd.Run()
	took := time.Since(began)
	var exit *exec.ExitError
	if err != nil && (ctx.Err() != nil || !errors.As(err, &exit)) {
		t.Fatalf("docker %q: %v after %v\n%s", args, err, took, stderr.String())
	}
	return result{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode(), took}
}

// must is docker for commands that have to succeed; it returns the trimmed output.
func must(t *testing.T, args ...string) string {
	t.Helper()
	r := docker(t, args...)
	if r.code != 0 {
		t.Fatalf("docker %q: status %d\n%s%s", args, r.code, r.stdout, r.stderr)
	}
	return strings.TrimSpace(r.stdout)
}

// runOnce runs a container to its end, in the foreground, as `docker run` does without -it.
func runOnce(t *testing.T, options []string, command ...string) result {
	t.Helper()
	return docker(t, arguments([]string{"run", "--rm"}, options, command)...)
}

// runWithInput is runOnce as `docker run -i` does it.
func runWithInput(t *testing.T, input string, options []string, command ...string) result {
	t.Helper()
	return dockerWithInput(t, input, arguments([]string{"run", "--rm", "--interactive"}, options, command)...)
}

// arguments are those of a docker command that makes a container of the test image.
func arguments(verb, options, command []string) []string {
	return slices.Concat(verb, []string{"--network", "none"}, options, []string{image}, command)
}

// container is a started one; it is removed when the test ends.
type container struct {
	t  *testing.T
	id string
}

// start runs a container in the background.
func start(t *testing.T, options []string, command ...string) *container {
	t.Helper()
	c := &container{t, must(t, arguments([]string{"run", "--detach"}, options, command)...)}
	t.Cleanup(c.remove)
	return c
}

// startReady is start, and waits for the line "ready" of the main program.
func startReady(t *testing.T, options []string, command ...string) *container {
	t.Helper()
	c := start(t, options, command...)
	c.awaitOutput("ready")
	return c
}

func (c *container) remove() {
	if c.t.Failed() {
		logs := docker(c.t, "logs", c.id)
		c.t.Logf("container's stdout:\n%s\ncontainer's stderr:\n%s", logs.stdout, logs.stderr)
	}
	must(c.t, "rm", "--force", "--volumes", c.id)
}

// output is what the main program wrote to stdout so far, and log what it and sbinit wrote to stderr.
func (c *container) output() string { c.t.Helper(); return docker(c.t, "logs", c.id).stdout }
func (c *container) log() string    { c.t.Helper(); return docker(c.t, "logs", c.id).stderr }

func (c *container) awaitOutput(text string) {
	c.t.Helper()
	eventually(c.t, settleLimit, "output "+strconv.Quote(text), func() bool {
		return strings.Contains(c.output(), text)
	})
}

// exec runs a command in the container to its end; it has to succeed.
func (c *container) exec(command ...string) string {
	c.t.Helper()
	return must(c.t, append([]string{"exec", c.id}, command...)...)
}

// stop is `docker stop`: SIGTERM, and SIGKILL after patience seconds. It says how long that took.
func (c *container) stop(patience int) time.Duration {
	c.t.Helper()
	r := docker(c.t, "stop", "--time", strconv.Itoa(patience), c.id)
	if r.code != 0 {
		c.t.Fatalf("docker stop: status %d\n%s", r.code, r.stderr)
	}
	return r.took
}

func (c *container) running() bool {
	c.t.Helper()
	return must(c.t, "inspect", "--format", "{{.State.Running}}", c.id) == "true"
}

// exitCode is the status of an ended container.
func (c *container) exitCode() int {
	c.t.Helper()
	status := must(c.t, "inspect", "--format", "{{.State.Status}} {{.State.ExitCode}}", c.id)
	code, ok := strings.CutPrefix(status, "exited ")
	if !ok {
		c.t.Fatalf("the container has not exited: %s", status)
	}
	n, err := strconv.Atoi(code)
	if err != nil {
		c.t.Fatal(err)
	}
	return n
}

func (c *container) expectExit(want int) {
	c.t.Helper()
	if got := c.exitCode(); got != want {
		c.t.Errorf("exit status %d, want %d", got, want)
	}
}

// wait waits for the container's end by itself and returns its status.
func (c *container) wait() int {
	c.t.Helper()
	must(c.t, "wait", c.id)
	return c.exitCode()
}

// eventually polls until ok, and fails the test when limit has passed.
func eventually(t *testing.T, limit time.Duration, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(limit); !ok(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within %v: %s", limit, what)
		}
	}
}
