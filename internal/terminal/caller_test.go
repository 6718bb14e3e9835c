package terminal_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/creack/pty"

	"github.com/sbinit/sbinit/internal/terminal/wire"
	"github.com/sbinit/sbinit/internal/testns"
)

// A caller is one for benchmarks: nothing but pipes is between it and `sbinit terminal`.
type caller struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	reader *wire.Reader
	pid    int // of the program
}

// startCaller starts one, and returns once the program runs.
func startCaller(tb testing.TB, argv ...string) *caller {
	tb.Helper()
	c := &caller{cmd: exec.Command(testns.Build(tb), "terminal")}
	c.cmd.Env, c.cmd.Dir, c.cmd.Stderr = testns.Environ("SBINIT_KILL_GRACE=50ms"), "/", os.Stderr
	in, err := c.cmd.StdinPipe()
	if err != nil {
		tb.Fatal(err)
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	c.in, c.reader = in, wire.NewReader(out)
	if err := c.cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	c.send(tb, wire.Open{Cols: 80, Rows: 24, Argv: argv})
	ready, ok := c.next(tb).(wire.Ready)
	if !ok {
		tb.Fatalf("not ready: %#v", ready)
	}
	c.pid = ready.PID
	return c
}

func (c *caller) send(tb testing.TB, m wire.CallerMessage) {
	tb.Helper()
	if _, err := c.in.Write(m.Append(nil)); err != nil {
		tb.Fatal(err)
	}
}

func (c *caller) next(tb testing.TB) wire.WorkerMessage {
	tb.Helper()
	line, err := c.reader.Line()
	if err != nil {
		tb.Fatal(err)
	}
	m, err := wire.DecodeWorker(line)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// await reads until the output has ended with a text.
func (c *caller) await(tb testing.TB, text string) {
	tb.Helper()
	for shown := ""; !strings.Contains(shown, text); {
		if out, ok := c.next(tb).(wire.Output); ok {
			shown += string(out.Data)
		}
	}
}

func (c *caller) key(tb testing.TB) {
	tb.Helper()
	c.send(tb, wire.Input{Data: []byte("k")})
	c.await(tb, "k")
}

func (c *caller) close(tb testing.TB) {
	tb.Helper()
	c.send(tb, wire.Close{})
	c.finish(tb)
}

// finish reads to the end, and counts the output.
func (c *caller) finish(tb testing.TB) (output int64) {
	tb.Helper()
	for {
		switch m := c.next(tb).(type) {
		case wire.Output:
			output += int64(len(m.Data))
		case wire.End:
			if err := c.cmd.Wait(); err != nil || !m.Contained {
				tb.Fatalf("%+v, %v", m, err)
			}
			return output
		}
	}
}

func sessionOutput(tb testing.TB, file string) int64 {
	return startCaller(tb, "cat", file).finish(tb)
}

// A bare program has a terminal that the test reads itself.
type bare struct {
	cmd    *exec.Cmd
	master *os.File
}

func startBare(tb testing.TB, argv ...string) *bare {
	tb.Helper()
	master, slave, err := pty.Open()
	if err != nil {
		tb.Fatal(err)
	}
	defer slave.Close()
	p := &bare{cmd: exec.Command(argv[0], argv[1:]...), master: master}
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = slave, slave, slave
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := p.cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	return p
}

func (p *bare) await(tb testing.TB, text string) {
	tb.Helper()
	var buf [100]byte
	for shown := ""; !strings.Contains(shown, text); {
		n, err := p.master.Read(buf[:])
		if err != nil {
			tb.Fatal(err)
		}
		shown += string(buf[:n])
	}
}

func (p *bare) key(tb testing.TB) {
	tb.Helper()
	if _, err := p.master.WriteString("k"); err != nil {
		tb.Fatal(err)
	}
	p.await(tb, "k")
}

func (p *bare) stop() {
	p.cmd.Process.Kill()
	p.cmd.Wait()
	p.master.Close()
}

// bareOutput reads until nobody has the terminal any more, which is EIO.
func bareOutput(tb testing.TB, file string) (output int64) {
	tb.Helper()
	p := startBare(tb, "cat", file)
	defer p.stop()
	for buf := make([]byte, wire.MaxData); ; {
		n, err := p.master.Read(buf)
		output += int64(n)
		if errors.Is(err, syscall.EIO) {
			return output
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
}

// runScript counts what script(1) passes on of a command's output.
func runScript(tb testing.TB, command string) (output int64) {
	tb.Helper()
	cmd := exec.Command("script", "-qec", command, "/dev/null")
	out, err := cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	for buf := make([]byte, 1<<16); err == nil; {
		var n int
		n, err = out.Read(buf)
		output += int64(n)
	}
	if err := cmd.Wait(); err != nil {
		tb.Fatal(err)
	}
	return output
}

func scriptOutput(tb testing.TB, file string) int64 { return runScript(tb, "cat "+file) }

// pss is the memory of a process, in which shared pages count by share (proc(5)).
func pss(tb testing.TB, pid int) float64 {
	tb.Helper()
	return 1024 * field(tb, fmt.Sprintf("/proc/%d/smaps_rollup", pid), "\nPss:")
}

func parent(tb testing.TB, pid int) int {
	tb.Helper()
	return int(field(tb, fmt.Sprintf("/proc/%d/status", pid), "\nPPid:"))
}

// field is the number behind a name in a file of /proc.
func field(tb testing.TB, file, name string) float64 {
	tb.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		tb.Fatal(err)
	}
	_, after, _ := bytes.Cut(content, []byte(name))
	value, err := strconv.ParseFloat(strings.Fields(string(after))[0], 64)
	if err != nil {
		tb.Fatal(err)
	}
	return value
}
