package main

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"github.com/creack/pty"

	"github.com/sbinit/sbinit/internal/terminal/wire"
)

// A plain program has a terminal that is read here, with nothing between.
type plain struct {
	cmd    *exec.Cmd
	master *os.File
}

func startPlain(argv ...string) (*plain, error) {
	master, slave, err := pty.Open()
	if err != nil {
		return nil, err
	}
	defer slave.Close()
	p := &plain{exec.Command(argv[0], argv[1:]...), master}
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = slave, slave, slave
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Pdeathsig: syscall.SIGKILL}
	if err := p.cmd.Start(); err != nil {
		master.Close()
		return nil, err
	}
	return p, nil
}

func (p *plain) await(text string) error {
	var buf [100]byte
	for shown := ""; !strings.Contains(shown, text); {
		n, err := p.master.Read(buf[:])
		if err != nil {
			return err
		}
		shown += string(buf[:n])
	}
	return nil
}

func (p *plain) key() error {
	if _, err := p.master.WriteString("k"); err != nil {
		return err
	}
	return p.await("k")
}

func (p *plain) kill() {
	p.cmd.Process.Kill()
	p.cmd.Wait()
	p.master.Close()
}

// plainOutput reads until nobody has the terminal any more, which is EIO.
func plainOutput(file string) (output int64, err error) {
	p, err := startPlain("cat", file)
	if err != nil {
		return 0, err
	}
	defer p.kill()
	for buf := make([]byte, wire.MaxData); ; {
		n, err := p.master.Read(buf)
		output += int64(n)
		if errors.Is(err, syscall.EIO) {
			return output, nil
		}
		if err != nil {
			return 0, err
		}
	}
}

// scripted counts what script(1) passes on of a command's output.
func scripted(command string) (output int64, err error) {
	cmd := exec.Command(script, "-qec", command, "/dev/null")
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	for buf := make([]byte, 1<<16); err == nil; {
		var n int
		n, err = out.Read(buf)
		output += int64(n)
	}
	if err != io.EOF {
		return 0, errors.Join(err, cmd.Wait())
	}
	return output, cmd.Wait()
}
