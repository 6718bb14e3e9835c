// Sbinit is a container init for sandboxes that run coding agents. It turns
// argv and environment into a configuration, and the result into an exit
// status; everything in between is package pid1's.
package main

import (
	"io"
	"os"
	"runtime"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/config"
	"github.com/sbinit/sbinit/internal/guard"
	"github.com/sbinit/sbinit/internal/inherit"
	pid1 "github.com/sbinit/sbinit/internal/init"
	"github.com/sbinit/sbinit/internal/log"
	"github.com/sbinit/sbinit/internal/signals"
	"github.com/sbinit/sbinit/internal/terminal/wire"
)

// Set by the linker (Makefile).
var version, commit = "devel", "unknown"

func main() { os.Exit(run()) }

func run() int {
	inherit.ResetRuntime()
	p := process{descriptors: inherit.Descriptors(), args: os.Args}
	if role, fd, args := guard.InnerArgs(os.Args); role != nil {
		p.role, p.channel, p.args = role, fd, args
	}
	if wire.IsHosted(os.Args) {
		p.hosted, p.args = true, []string{"sbinit", "terminal"}
	}
	if p.hosted || p.role != nil {
		rename(os.Args[0])
	}
	in, warnings, err := config.Parse(config.Input{Args: p.args, Environ: inherit.Environ(), PID1: os.Getpid() == 1})
	if err != nil {
		for _, w := range warnings {
			_, _ = descriptor(2).Write(log.Warnings(in.Config, w.String()))
		}
		return p.refuse(in, wire.CodeBadSetting, err.Error())
	}
	switch in.Command {
	case config.CommandRun, config.CommandGuard, config.CommandTerminal, config.CommandShell:
		return p.host(in, warnings)
	case config.CommandKeep:
		return keep(in)
	case config.CommandPS, config.CommandOrphans, config.CommandSessions, config.CommandStats, config.CommandCheck:
		return look(in)
	case config.CommandDoctor:
		return examine(in)
	default:
		return show(in)
	}
}

// A process is what was found at start.
type process struct {
	source      *signals.Source
	descriptors []int
	role        *guard.Role // nil unless we are below a front
	channel     int         // its end of the channel
	hosted      bool        // below the init, for a session of the control socket
	args        []string    // without what says so
}

// host runs the program and stays, as an init or as one of a guard's pair.
func (p process) host(in config.Invocation, warnings []config.Warning) int {
	if err := pid1.CheckLimits(); err != nil {
		return p.refuse(in, wire.CodeInternal, err.Error())
	}
	var err error
	if p.source, err = signals.Open(inherit.Blocked()); err != nil {
		return p.refuse(in, wire.CodeInternal, "signals cannot be taken: "+err.Error())
	}
	switch in.Command {
	case config.CommandGuard:
		return p.guard(in, warnings)
	case config.CommandTerminal:
		return p.terminal(in, warnings)
	case config.CommandShell:
		return p.shell(in)
	}
	return p.initialise(in, warnings)
}

// initialise runs the program as the container's main program.
func (p process) initialise(in config.Invocation, warnings []config.Warning) int {
	if err := dieWithParent(in.Config.ParentDeathSignal); err != nil {
		return p.refuse(in, wire.CodeInternal, err.Error())
	}
	return pid1.Run(pid1.Setup{
		Personality: in.Personality,
		Config:      in.Config,
		Argv:        in.Argv,
		Warnings:    warnings,
		Source:      p.source,
		Descriptors: p.descriptors,
		Version:     version,
		Commit:      commit,
	})
}

// guard runs the program below a front and a keeper, one of which we are.
func (p process) guard(in config.Invocation, warnings []config.Warning) int {
	setup := guard.Setup{
		Config:      in.Config,
		Argv:        in.Argv,
		Args:        p.args[1:],
		Warnings:    warnings,
		Source:      p.source,
		Descriptors: p.descriptors,
	}
	if p.role == guard.Keeper {
		setup.Warnings = nil // the front has logged them
		return guard.Keep(setup, p.channel)
	}
	return guard.Front(guard.Keeper, setup)
}

// show prints what was asked for; a closed pipe is no reason to die of it.
func show(in config.Invocation) int {
	out := ""
	switch {
	case in.Command == config.CommandHelp && in.Topic != "":
		out = config.CommandUsage(in.Topic)
	case in.Command == config.CommandHelp:
		out = in.Personality.Usage()
	case in.Command == config.CommandHelpEnv:
		out = config.EnvHelp()
	case in.Command == config.CommandLicense:
		out = license
	default:
		out = in.Personality.Version(version, commit, runtime.Version()) + "\n"
	}
	stream := descriptor(in.Personality.Stream(in.Command))
	return in.Personality.Refusal(stream.print(out, 0))
}

// printed is for standard output.
func printed(out string, status int) int { return descriptor(1).print(out, status) }

// fail says why sbinit cannot do its job, in the log's form. What there is of a
// configuration that could not be parsed says which.
func fail(in config.Invocation, reason string) int {
	_, _ = descriptor(2).Write(log.Faults(in.Config.LogFormat, reason))
	return pid1.Failed
}

// A descriptor is written to by write(2) alone: package os raises SIGPIPE at
// itself for a closed standard output or error.
type descriptor int

func (d descriptor) String() string {
	if d == 2 {
		return "standard error"
	}
	return "standard output"
}

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

// closedPipe is the status of a program that died of SIGPIPE, as a shell gives it.
const closedPipe = 128 + int(unix.SIGPIPE)

// print writes it all, and gives the status if that was possible. A reader that has seen
// enough (`sbinit ps | head`) is nothing to speak of.
func (d descriptor) print(out string, status int) int {
	_, err := io.WriteString(d, out)
	if err == unix.EPIPE {
		return closedPipe
	}
	if err != nil {
		return fail(config.Invocation{}, "cannot write to "+d.String()+": "+err.Error())
	}
	return status
}
