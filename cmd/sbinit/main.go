// Sbinit is a container init for sandboxes that run coding agents. It turns
// argv and environment into a configuration, and the result into an exit
// status; everything in between is package pid1's.
package main

import (
	"io"
	"os"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/config"
	"github.com/sbinit/sbinit/internal/inherit"
	pid1 "github.com/sbinit/sbinit/internal/init"
	"github.com/sbinit/sbinit/internal/signals"
)

// version is set by the linker (Makefile).
var version = "devel"

func main() { os.Exit(run()) }

func run() int {
	// The first thing of all: a SIGTERM that nobody takes ends a Go program.
	source, err := signals.Open(inherit.Blocked())
	if err != nil {
		return fail("signals cannot be taken: " + err.Error())
	}
	descriptors := inherit.Descriptors()
	inherit.ResetRuntime()
	in, warnings, err := config.Parse(config.Input{Args: os.Args, Environ: inherit.Environ(), PID1: os.Getpid() == 1})
	if err != nil {
		for _, w := range warnings {
			_, _ = io.WriteString(descriptor(2), "sbinit: warn: "+w.String()+"\n")
		}
		return fail(err.Error())
	}
	switch in.Command {
	case config.CommandRun:
		return initialise(in, warnings, source, descriptors)
	case config.CommandKeep:
		return keep(in.Argv)
	default:
		return show(in)
	}
}

// initialise runs the program as the container's main program.
func initialise(in config.Invocation, warnings []config.Warning, source *signals.Source, descriptors []int) int {
	if err := dieWithParent(in.Config.ParentDeathSignal); err != nil {
		return fail(err.Error())
	}
	return pid1.Run(pid1.Setup{
		Config:      in.Config,
		Argv:        in.Argv,
		Warnings:    warnings,
		Source:      source,
		Descriptors: descriptors,
	})
}

// show prints what was asked for; a closed pipe is no reason to die of it.
func show(in config.Invocation) int {
	out := ""
	switch in.Command {
	case config.CommandHelp:
		out = config.Usage()
	case config.CommandHelpEnv:
		out = config.EnvHelp()
	case config.CommandLicense:
		out = license
	default:
		out = in.Personality.Version(version) + "\n"
	}
	if _, err := io.WriteString(descriptor(1), out); err != nil {
		return fail("standard output: " + err.Error())
	}
	return 0
}

// fail says why sbinit cannot do its job, each line marked as its own.
func fail(reason string) int {
	_, _ = io.WriteString(descriptor(2), prefixed(reason))
	return pid1.Failed
}

// A descriptor is written to by write(2) alone: package os raises SIGPIPE at
// itself for a closed standard output or error.
type descriptor int

func (d descriptor) Write(b []byte) (int, error) {
	for done := 0; ; {
		n, err := unix.Write(int(d), b[done:])
		switch {
		case err == unix.EINTR:
		case err != nil:
			return done, err
		default:
			if done += n; done == len(b) {
				return done, nil
			}
		}
	}
}
