package config

import (
	"errors"
	"slices"
	"strings"
)

// Command is what sbinit is asked to do.
type Command uint8

// CommandRun runs a program as the container's main program.
const (
	CommandRun      Command = iota
	CommandHelp             // print Personality.Usage
	CommandHelpEnv          // print EnvHelp
	CommandVersion          // print Personality.Version
	CommandLicense          // print the licence
	CommandKeep             // run a program with SBINIT_KEEP=1
	CommandGuard            // run a program that nothing it started outlives
	CommandTerminal         // one terminal session, by messages on stdin and stdout
	CommandShell            // the same for a person
	CommandPS               // the table of views, from here on
	CommandOrphans
	CommandSessions
	CommandStats
	CommandCheck
	CommandDoctor
)

// Words that are commands as a first argument, beside the views'. As PID 1 only some
// are, so that `docker run IMAGE ps` runs the image's ps.
var (
	words     = []string{"guard", "terminal", "shell", "keep", "version", "help"}
	pid1Words = []string{"help", "version", "doctor"}
)

// isCommand says whether a first argument is a command and not a program.
func isCommand(word string, pid1 bool) bool {
	if pid1 {
		return slices.Contains(pid1Words, word)
	}
	return slices.Contains(words, word) || viewOf(word) != nil
}

// Misread says what a program that does not exist may have been meant as; empty: nothing
// is like it.
func Misread(program string, pid1 bool) string {
	if isCommand(program, false) && pid1 {
		return "as PID 1 only " + strings.Join(pid1Words, ", ") + " are commands: `sbinit -- sbinit " + program + " ...` runs another one below it"
	}
	if near, ok := nearest(program, slices.Concat(words, viewWords())); ok && !pid1 {
		return "`sbinit " + near + "` is a command"
	}
	return ""
}

// command parses `sbinit WORD ARG...`. Only guard, terminal and shell read settings.
func (p *parser) command(word string, args []string) Invocation {
	switch word {
	case "guard":
		return p.guard(args)
	case "terminal":
		return p.terminal(args)
	case "shell":
		return p.shell(args)
	case "keep":
		return p.keep(args)
	case "version":
		p.noMore(word, args)
		return Invocation{Command: CommandVersion}
	case "help":
		return p.help(args)
	}
	return viewOf(word).parse(p, args)
}

func (p *parser) help(args []string) Invocation {
	if len(args) == 0 {
		return Invocation{Command: CommandHelp}
	}
	topic := args[0]
	p.noMore("help "+topic, args[1:])
	switch {
	case topic == "env":
		return Invocation{Command: CommandHelpEnv, Topic: topic}
	case viewOf(topic) != nil:
		return Invocation{Command: CommandHelp, Topic: topic}
	}
	p.faults.add("help", topic, errors.New("want nothing, env, or one of "+strings.Join(viewWords(), ", ")))
	return Invocation{}
}

func (p *parser) noMore(command string, args []string) {
	if len(args) > 0 {
		p.faults.add(command, args[0], errors.New("takes no argument here"))
	}
}

// keep parses `sbinit keep [--] PROGRAM [ARG...]`.
func (p *parser) keep(args []string) Invocation {
	given, argv := p.scan(args, func(o *option) bool { return o.command == CommandHelp })
	if i := slices.IndexFunc(given, isHelp); i >= 0 {
		return Invocation{Command: CommandHelp}
	}
	if len(argv) == 0 {
		p.faults.add("keep", "", errors.New("no program given; usage: sbinit keep [--] PROGRAM [ARG...]"))
	}
	return Invocation{Command: CommandKeep, Argv: argv}
}

// guard parses `sbinit guard [OPTIONS] [--] PROGRAM [ARG...]`. What is the init's
// alone, such as SBINIT_ORPHANS, it reads as well, and does not use.
func (p *parser) guard(args []string) Invocation {
	in := p.hosting(CommandGuard, args, func(o *option) bool { return o.guard })
	if in.Command == CommandGuard && len(in.Argv) == 0 {
		p.faults.add("guard", "", errors.New("no program given; usage: sbinit guard [OPTIONS] [--] PROGRAM [ARG...]"))
	}
	return in
}

// terminal parses `sbinit terminal [OPTIONS]`. The command stays known with a fault:
// its exit status is another than that of the others.
func (p *parser) terminal(args []string) Invocation {
	in := p.hosting(CommandTerminal, args, func(o *option) bool { return o.terminal })
	if in.Command == CommandTerminal {
		p.noMore("terminal", in.Argv)
	}
	return in
}

// shell parses `sbinit shell [OPTIONS] [--] [PROGRAM [ARG...]]`.
func (p *parser) shell(args []string) Invocation {
	return p.hosting(CommandShell, args, func(o *option) bool { return o.terminal })
}

// hosting parses a command that reads settings, and takes some of sbinit's options.
func (p *parser) hosting(command Command, args []string, takes func(*option) bool) Invocation {
	given, argv := p.scan(args, func(o *option) bool { return o.of.has(Native) && takes(o) })
	if slices.ContainsFunc(given, isHelp) {
		return Invocation{Command: CommandHelp}
	}
	c := Default(Native)
	p.variables(&c)
	p.options(&c, given)
	return Invocation{Command: command, Config: c, Argv: argv}
}

func isHelp(g givenOption) bool { return g.option.command == CommandHelp }
