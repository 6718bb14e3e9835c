package main

import (
	"time"

	"github.com/sbinit/sbinit/internal/config"
	"github.com/sbinit/sbinit/internal/control"
	"github.com/sbinit/sbinit/internal/inherit"
	"github.com/sbinit/sbinit/internal/terminal"
)

// dialLimit is how long the init may take to accept a shell.
const dialLimit = 5 * time.Second

// shell gives a person a session: the init's, or one of a worker of our own.
func (p process) shell(in config.Invocation) int {
	return terminal.Shell(terminal.ShellSetup{
		Config:  in.Config,
		Argv:    in.Argv,
		Environ: inherit.Environ(),
		Source:  p.source,
		Dial:    func() (terminal.Link, error) { return dial(in.Config) },
	})
}

// dial asks the init at its socket. Where there is none, or one that is not PID 1's or
// not for us, the shell does without.
func dial(c config.Config) (terminal.Link, error) {
	if c.Socket == "" {
		return terminal.DialOwn(c)
	}
	fd, err := control.Dial(c.Socket, dialLimit)
	if err != nil {
		return terminal.DialOwn(c)
	}
	return terminal.Link{FD: fd}, nil
}
