package main

import (
	"github.com/sbinit/sbinit/internal/config"
	"github.com/sbinit/sbinit/internal/inherit"
	"github.com/sbinit/sbinit/internal/terminal"
)

// shell gives a person a session, of a worker of our own.
func (p process) shell(in config.Invocation) int {
	return terminal.Shell(terminal.ShellSetup{
		Config:  in.Config,
		Argv:    in.Argv,
		Environ: inherit.Environ(),
		Source:  p.source,
		Dial:    func() (terminal.Link, error) { return terminal.DialOwn(in.Config) },
	})
}
