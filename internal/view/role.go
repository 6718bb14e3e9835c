package view

import (
	"strings"

	"github.com/sbinit/sbinit/internal/config"
	"github.com/sbinit/sbinit/internal/guard"
	"github.com/sbinit/sbinit/internal/proc"
	"github.com/sbinit/sbinit/internal/terminal/wire"
)

// role finds the processes of sbinit's own by their arguments, if they run this program
// or may not be looked at.
func role(fs *proc.FS, p *Process) Role {
	if len(p.Args) == 0 || !strings.HasPrefix(program(p.Args[0]), "sbinit") {
		return NoRole
	}
	is := roleByArgs(p.Args)
	if is == NoRole {
		return NoRole
	}
	if same, err := fs.RunsThis(p.PID); err == nil && !same {
		return NoRole
	}
	return is
}

func roleByArgs(args []string) Role {
	if wire.IsHosted(args) {
		return Worker
	}
	switch inner, _, _ := guard.InnerArgs(args); inner {
	case guard.Keeper:
		return Keeper
	case guard.Worker:
		return Worker
	}
	in, _, err := config.Parse(config.Input{Args: args})
	if err == nil && (in.Command == config.CommandGuard || in.Command == config.CommandTerminal) {
		return Front
	}
	return NoRole
}
