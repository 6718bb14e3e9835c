//go:build e2e

package e2e

import (
	"context"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
)

// prompt is the shell's, at the end of the screen; ash asks for the cursor and clears what follows.
const prompt = `e2e> (\x1b\[6n|\x1b\[J)*$`

// terminal is a person at `docker run -it`: what the container wrote is on the screen, what one types goes in.
type terminal struct {
	*container
	cmd  *exec.Cmd
	ptmx *os.File

	mu     sync.Mutex
	screen strings.Builder
	read   int // bytes of the screen that an expectation has consumed
}

// openTerminal runs the command on a terminal of 80 columns and 24 rows.
func openTerminal(t *testing.T, options []string, command ...string) *terminal {
	t.Helper()
	c := &container{t, must(t, arguments([]string{"create", "--interactive", "--tty"}, options, command)...)}
	t.Cleanup(c.remove)
	term := &terminal{container: c, cmd: daemon.command(context.Background(), "start", "--attach", "--interactive", c.id)}
	ptmx, err := pty.StartWithSize(term.cmd, &pty.Winsize{Cols: 80, Rows: 24})
	if err != nil {
		t.Fatal(err)
	}
	term.ptmx = ptmx
	t.Cleanup(term.close)
	go term.record()
	return term
}

func (x *terminal) record() {
	buffer := make([]byte, 4096)
	for {
		n, err := x.ptmx.Read(buffer)
		x.mu.Lock()
		x.screen.Write(buffer[:n])
		x.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (x *terminal) close() {
	x.cmd.Process.Kill()
	x.ptmx.Close()
	if x.t.Failed() {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.t.Logf("the screen:\n%s", x.screen.String())
	}
}

// send types text, expect waits until the pattern is on the screen after everything that was expected before.
func (x *terminal) send(text string) {
	x.t.Helper()
	if _, err := x.ptmx.WriteString(text); err != nil {
		x.t.Fatal(err)
	}
}

func (x *terminal) expect(pattern string) {
	x.t.Helper()
	re := regexp.MustCompile(pattern)
	eventually(x.t, settleLimit, pattern+" on the screen", func() bool {
		x.mu.Lock()
		defer x.mu.Unlock()
		found := re.FindStringIndex(x.screen.String()[x.read:])
		if found == nil {
			return false
		}
		x.read += found[1]
		return true
	})
}

// awaitJob waits until exactly one process with that command line is in the state, as the container's ps tells it.
func (x *terminal) awaitJob(args string, state byte) {
	x.t.Helper()
	eventually(x.t, settleLimit, args+" in state "+string(state), func() bool {
		jobs := x.processes().running(args)
		return len(jobs) == 1 && jobs[0].state == state
	})
}

func (x *terminal) expectStatus(want int) {
	x.t.Helper()
	done := make(chan error, 1)
	go func() { done <- x.cmd.Wait() }()
	select {
	case <-done:
	case <-time.After(settleLimit):
		x.t.Fatal("the docker client did not end")
	}
	if got := x.cmd.ProcessState.ExitCode(); got != want {
		x.t.Errorf("the docker client's status is %d, want %d", got, want)
	}
	x.expectExit(want)
}

func TestInteractiveShell(t *testing.T) {
	for _, shell := range []string{"sh", "bash"} {
		t.Run(shell, func(t *testing.T) {
			t.Parallel()
			x := openTerminal(t, []string{"-e", "PS1=e2e> "}, shell)
			x.expect(prompt)
			x.mu.Lock()
			greeting := x.screen.String()
			x.mu.Unlock()
			if regexp.MustCompile(`job control|can't access tty`).MatchString(greeting) {
				t.Errorf("the shell has no job control: %q", greeting)
			}
			testInterrupt(x)
			testStopAndResume(x)
			testResize(x)
			x.send("exit 5\r")
			x.expectStatus(5)
		})
	}
}

// ctrl-C ends the foreground job and leaves the shell.
func testInterrupt(x *terminal) {
	x.send("sleep 1001\r")
	x.awaitJob("sleep 1001", 'S')
	x.send("\x03")
	x.expect(prompt)
	x.send("echo status $?\r")
	x.expect(`status 130`)
}

// ctrl-Z stops the foreground job, fg resumes it.
func testStopAndResume(x *terminal) {
	x.send("sleep 1002\r")
	x.awaitJob("sleep 1002", 'S')
	x.send("\x1a")
	x.expect(`Stopped`)
	x.awaitJob("sleep 1002", 'T')
	x.send("fg\r")
	x.awaitJob("sleep 1002", 'S')
	x.send("\x03")
	x.expect(prompt)
	x.send("echo status $?\r")
	x.expect(`status 130`)
}

// The client passes a new size on when its own terminal changes.
func testResize(x *terminal) {
	x.t.Helper()
	if err := pty.Setsize(x.ptmx, &pty.Winsize{Cols: 111, Rows: 33}); err != nil {
		x.t.Fatal(err)
	}
	x.send("until [ \"$(stty size)\" = '33 111' ]; do sleep 0.1; done; echo resized $((40+2))\r")
	x.expect(`resized 42`)
}

// The window's change reaches a main program that is no shell as a signal.
func TestResizeSignal(t *testing.T) {
	t.Parallel()
	x := openTerminal(t, nil, "probe", "signals", "28")
	x.expect(`ready`)
	if err := pty.Setsize(x.ptmx, &pty.Winsize{Cols: 99, Rows: 44}); err != nil {
		t.Fatal(err)
	}
	x.expect(`signal 28`)
	x.send("\x03")
	x.expectStatus(130)
}
