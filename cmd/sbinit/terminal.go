package main

import (
	"github.com/sbinit/sbinit/internal/config"
	"github.com/sbinit/sbinit/internal/guard"
	"github.com/sbinit/sbinit/internal/inherit"
	"github.com/sbinit/sbinit/internal/terminal"
	"github.com/sbinit/sbinit/internal/terminal/wire"
)

// terminal serves one session below a front, or is that front.
func (p process) terminal(in config.Invocation, warnings []config.Warning) int {
	if p.role == guard.Worker {
		return p.worker(in)
	}
	if err := terminal.CanContain(); err != nil {
		return terminal.Refuse(1, wire.CodeCannotContain, err.Error())
	}
	return guard.Front(guard.Worker, guard.Setup{
		Config:      terminal.FrontConfig(in.Config),
		Args:        p.args[1:],
		Warnings:    warnings,
		Source:      p.source,
		Descriptors: p.descriptors,
	})
}

func (p process) worker(in config.Invocation) int {
	front, err := guard.OpenInner(p.channel)
	if err != nil {
		return fail(in, err.Error())
	}
	return terminal.Worker(terminal.Setup{
		Config:      in.Config,
		In:          0,
		Out:         1,
		Environ:     inherit.Environ(),
		Source:      p.source,
		Superior:    front,
		Descriptors: p.descriptors,
	})
}

// refuse says why there will be no program, by the exit status of the command or name, and to
// the caller of a terminal session in words that it can read.
func refuse(in config.Invocation, code wire.Code, reason string) int {
	status := in.Personality.Refusal(fail(in, reason))
	if in.Command == config.CommandTerminal {
		return terminal.Refuse(1, code, reason)
	}
	return status
}
