package main

import (
	"github.com/sbinit/sbinit/internal/config"
	"github.com/sbinit/sbinit/internal/guard"
	"github.com/sbinit/sbinit/internal/inherit"
	"github.com/sbinit/sbinit/internal/terminal"
	"github.com/sbinit/sbinit/internal/terminal/wire"
)

// terminal serves one session, or is the front of the worker that does.
func (p process) terminal(in config.Invocation, warnings []config.Warning) int {
	switch {
	case p.hosted:
		return p.worker(in, nil)
	case p.role == guard.Worker:
		front, err := guard.OpenInner(p.channel)
		if err != nil {
			return fail(in, err.Error())
		}
		return p.worker(in, front)
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

// worker serves one session for a front, or for the init, which is nil here.
func (p process) worker(in config.Invocation, superior terminal.Superior) int {
	return terminal.Worker(terminal.Setup{
		Config:      in.Config,
		In:          0,
		Out:         1,
		Environ:     inherit.Environ(),
		Source:      p.source,
		Superior:    superior,
		Descriptors: p.descriptors,
	})
}

// refuse says why there will be no program, by the exit status of the command or name, and to
// the caller of a terminal session in words that it can read.
func (p process) refuse(in config.Invocation, code wire.Code, reason string) int {
	status := in.Personality.Refusal(fail(in, reason))
	if in.Command == config.CommandTerminal {
		status = terminal.Refuse(1, code, reason)
	}
	if p.hosted {
		return wire.ExitStatus(code.Reason(), true)
	}
	return status
}
