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

// As PID 1 few words are commands, so that `docker run IMAGE ps` runs the image's ps.
var pid1Words = []string{"help", "version", "doctor"}

// isCommand says whether a first argument is a command and not a program.
func isCommand(word string, pid1 bool) bool {
	if pid1 {
		return slices.Contains(pid1Words, word)
	}
	return topicOf(word) != nil || viewOf(word) != nil
}

// commandWords are all that are commands somewhere.
func commandWords() (words []string) {
	for i := range topics {
		words = append(words, topics[i].word)
	}
	for i := range views {
		words = append(words, views[i].word)
	}
	return words
}

// command parses `sbinit WORD ARG...`. The command stays known with a fault: the exit
// status of a terminal is another than that of the others.
func (p *parser) command(word string, args []string) Invocation {
	if v := viewOf(word); v != nil {
		return v.parse(p, args)
	}
	t := topicOf(word)
	given, argv := p.scan(args, t.takes)
	in := Invocation{Command: t.command, Argv: argv}
	switch {
	case slices.ContainsFunc(given, isHelp):
		return Invocation{Command: CommandHelp, Topic: word}
	case t.command == CommandHelp:
		return p.help(argv)
	case t.settings:
		in.Config = Default(Native)
		p.variables(&in.Config)
		p.options(&in.Config, given)
	}
	switch program := strings.Contains(t.args, "PROGRAM"); {
	case !program:
		p.noMore(word, argv)
	case len(argv) == 0 && t.command != CommandShell:
		p.faults.add(word, "", errors.New("no program given; "+t.usageLine()))
	}
	return in
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
	case isCommand(topic, false):
		return Invocation{Command: CommandHelp, Topic: topic}
	}
	p.faults.add("help", topic, errors.New("want nothing, env, or one of "+strings.Join(commandWords(), ", ")))
	return Invocation{}
}

func (p *parser) noMore(command string, args []string) {
	if len(args) > 0 {
		p.faults.add(command, args[0], errors.New("takes no argument here"))
	}
}

func isHelp(g givenOption) bool { return g.option.command == CommandHelp }
