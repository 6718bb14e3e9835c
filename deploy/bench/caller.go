package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"github.com/sbinit/sbinit/deploy/box"
	"github.com/sbinit/sbinit/internal/terminal/wire"
)

// A caller has a session. Nothing but pipes is between it and `sbinit terminal`.
type caller struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	reader *wire.Reader
	pid    int // of the session's program
}

// call returns once the program runs.
func (b *bench) call(argv []string, env ...string) (*caller, error) {
	cmd := exec.Command(b.sbinit(), "terminal")
	cmd.Env, cmd.Dir, cmd.Stderr = box.Environ(env...), "/", os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
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
	c := &caller{cmd: cmd, in: in, reader: wire.NewReader(out)}
	if err := c.open(argv); err != nil {
		c.kill()
		return nil, err
	}
	return c, nil
}

func (c *caller) open(argv []string) error {
	if err := c.send(wire.Open{Cols: 80, Rows: 24, Argv: argv}); err != nil {
		return err
	}
	m, err := c.next()
	if err != nil {
		return err
	}
	ready, ok := m.(wire.Ready)
	if !ok {
		return fmt.Errorf("the session is not ready: %#v", m)
	}
	c.pid = ready.PID
	return nil
}

func (c *caller) send(m wire.CallerMessage) error {
	_, err := c.in.Write(m.Append(nil))
	return err
}

func (c *caller) next() (wire.WorkerMessage, error) {
	line, err := c.reader.Line()
	if err != nil {
		return nil, err
	}
	return wire.DecodeWorker(line)
}

// await reads until the output has a text.
func (c *caller) await(text string) error {
	for shown := ""; !strings.Contains(shown, text); {
		m, err := c.next()
		if err != nil {
			return err
		}
		if out, ok := m.(wire.Output); ok {
			shown += string(out.Data)
		}
	}
	return nil
}

func (c *caller) key() error {
	if err := c.send(wire.Input{Data: []byte("k")}); err != nil {
		return err
	}
	return c.await("k")
}

func (c *caller) close() error {
	if err := c.send(wire.Close{}); err != nil {
		return err
	}
	_, err := c.finish()
	return err
}

// finish reads to the end, and counts the output.
func (c *caller) finish() (output int64, err error) {
	for {
		m, err := c.next()
		if err != nil {
			return 0, err
		}
		switch m := m.(type) {
		case wire.Output:
			output += int64(len(m.Data))
		case wire.End:
			if err := c.cmd.Wait(); err != nil || !m.Contained {
				return 0, fmt.Errorf("the session ended with %+v: %v", m, err)
			}
			return output, nil
		}
	}
}

// kill is for the way out after an error: the front's death is the end of all.
func (c *caller) kill() {
	c.cmd.Process.Kill()
	c.cmd.Wait()
}
