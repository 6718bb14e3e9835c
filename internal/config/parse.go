package config

import (
	"errors"
	"slices"

	"golang.org/x/sys/unix"
)

// parser collects what is wrong, so that all of it can be reported together.
type parser struct {
	in          Input
	personality Personality
	faults      Faults
	warnings    []Warning
	set         []string // settings that SBINIT_* variables gave a value
}

// Parse reads the command line and the environment. The error, if any, is a
// Faults. The warnings count also with an error. What only prints something
// (help, version) does so whatever the environment holds.
func Parse(in Input) (Invocation, []Warning, error) {
	p := &parser{in: in, personality: Native}
	args := in.Args
	if len(args) > 0 {
		p.personality, args = called(args[0]), args[1:]
	}
	inv := p.invocation(args)
	inv.Personality = p.personality
	return inv, p.warnings, p.faults.err()
}

func (p *parser) invocation(args []string) Invocation {
	if p.personality == Native && len(args) > 0 && isCommand(args[0], p.in.PID1) {
		return p.command(args[0], args[1:])
	}
	given, argv := p.scan(args, p.personality.takes)
	if n := len(given); n > 0 && given[n-1].option.command != CommandRun {
		return Invocation{Command: given[n-1].option.command}
	}
	c := Default(p.personality)
	p.peers(&c)
	p.variables(&c)
	p.options(&c, given)
	p.implied(&c)
	return Invocation{Command: CommandRun, Config: c, Argv: p.program(c, argv)}
}

// peers applies the variables of the other inits. By its own name sbinit refuses
// a wrong value; by the peer's name it only warns, as the peer takes no notice.
func (p *parser) peers(c *Config) {
	for i := range peers {
		v := &peers[i]
		if p.personality != Native && p.personality != v.of {
			continue
		}
		value, err := v.apply(c, p.in.Environ)
		switch {
		case err == nil:
		case p.personality == Native:
			p.faults.add(v.name, value, err)
		default:
			p.warnings = append(p.warnings, Warning{Name: v.name, Value: value, Text: "ignored; " + err.Error()})
		}
	}
}

func (p *parser) variables(c *Config) {
	env := environ(p.in.Environ)
	for i := range settings {
		s := &settings[i]
		value, ok := env.value(s.name)
		if !ok {
			continue
		}
		if err := s.set(c, value); err != nil {
			p.faults.add(s.name, value, err)
			continue
		}
		p.set = append(p.set, s.name)
		if s.values == listOfGlobs && blankInName(value) {
			p.warnings = append(p.warnings, Warning{s.name, value, "there is a blank in a name; names are separated by commas"})
		}
	}
	p.warnings = append(p.warnings, env.strangers()...)
}

func (p *parser) options(c *Config, given []givenOption) {
	var reset []*option
	for _, g := range given {
		if g.option.reset && !slices.Contains(reset, g.option) {
			reset = append(reset, g.option)
			mustSet(assign(c, g.option.set[0]+"="+none))
		}
		if err := g.apply(c); err != nil {
			p.faults.add(g.name, g.arg, err)
		}
	}
}

func (g givenOption) apply(c *Config) error {
	o := g.option
	if o.add != nil {
		return o.add(c, g.arg)
	}
	if o.arg != "" {
		return named(o.set[0]).set(c, g.arg)
	}
	setAll(c, o.set)
	return nil
}

// implied applies what one setting means for another.
func (p *parser) implied(c *Config) {
	if c.Wait == WaitAll {
		if slices.Contains(p.set, "SBINIT_ORPHANS") && c.Orphans != OrphansKeep {
			p.faults.add("SBINIT_ORPHANS", c.Orphans.String(),
				errors.New("want keep, or nothing, beside SBINIT_WAIT=all, which waits for orphans instead of ending them"))
		}
		c.Orphans = OrphansKeep
	}
	if c.Session {
		// The process group of a new session's leader is orphaned: the kernel
		// discards these signals there (setpgid(2), signal(7)), but not STOP.
		for _, sig := range []unix.Signal{unix.SIGTSTP, unix.SIGTTIN, unix.SIGTTOU} {
			c.Rewrite.Default(sig, unix.SIGSTOP)
		}
	}
}

// program checks that there is one, or none for a pause.
func (p *parser) program(c Config, argv []string) []string {
	switch {
	case c.Pause && len(argv) > 0 && p.personality == Catatonit:
		p.warnings = append(p.warnings, Warning{Name: "PROGRAM", Value: argv[0], Text: "ignored: a pause runs no program"})
		return nil
	case c.Pause && len(argv) > 0:
		p.faults.add("PROGRAM", argv[0], errors.New("a pause (-P, SBINIT_PAUSE=on) runs no program; want one of the two"))
	case !c.Pause && len(argv) == 0:
		p.faults.add("PROGRAM", "", errors.New("no program given; "+p.personality.usageLine()+p.moreHelp()))
	}
	return argv
}

// moreHelp is the end of a message, which by a peer's name is as short as the peer's.
func (p *parser) moreHelp() string {
	if p.personality != Native {
		return ""
	}
	return "; `sbinit help` says more"
}
