package config

import "slices"

// option is one row of the table of options. By its own name sbinit takes the
// options of all, by a peer's name that peer's.
type option struct {
	short byte
	long  string // may be empty
	arg   string // name of its argument in the help; empty if it takes none
	of    origin // whose option it is
	guard bool   // sbinit guard takes it too
	help  string

	terminal bool      // sbinit terminal and sbinit shell take it too
	views    []Command // views that take it

	set     []string                    // assignments; a name alone takes the option's argument
	add     func(*Config, string) error // instead of set, for what adds up; set then names the row
	reset   bool                        // the first of its kind replaces the list that a variable gave
	look    func(*View, string) error   // instead of both, for an option of views
	command Command                     // instead of all: an option that is a command
}

// options has the rows of one letter in order of who is asked first: the first
// that the personality takes counts.
var options = slices.Concat(hostOptions, viewOptions)

// hostOptions are the rows for commands that run a program.
var hostOptions = []option{
	{
		short: 'g', of: of(Native, Tini, Catatonit), set: []string{"SBINIT_FORWARD=group"},
		help: "forward signals to the main program's process group",
	},
	{
		short: 'c', long: "single-child", of: of(Native, DumbInit),
		set:  []string{"SBINIT_FORWARD=child", "SBINIT_SETSID=off"},
		help: "forward signals to the main program alone",
	},
	{
		short: 'r', long: "rewrite", arg: "A:B", of: of(Native, DumbInit), set: []string{"SBINIT_SIGNAL_REWRITE"},
		guard: true,
		add:   func(c *Config, arg string) error { return c.Rewrite.AddOption(arg) },
		reset: true,
		help:  "forward signal B instead of A (0: none), repeatable",
	},
	{
		short: 'e', arg: "CODE", of: of(Native, Tini), set: []string{"SBINIT_EXIT_OK"},
		guard: true,
		add:   func(c *Config, arg string) error { return c.ExitOK.add(arg) },
		reset: true,
		help:  "turn exit code CODE into 0, repeatable",
	},
	{
		short: 's', of: of(Native, Tini), set: []string{"SBINIT_SUBREAPER=on"},
		help: "adopt orphans also when not PID 1 (subreaper)",
	},
	{
		short: 'p', arg: "SIGNAL", of: of(Native, Tini), set: []string{"SBINIT_PARENT_DEATH_SIGNAL"},
		help: "get SIGNAL when sbinit's parent dies",
	},
	{
		short: 'w', of: of(Native, Tini), set: []string{"SBINIT_WARN_REAPED=on"},
		help: "log every reaped process that sbinit did not start",
	},
	{
		short: 'v', long: "verbose", of: of(DumbInit), set: []string{"SBINIT_LOG_LEVEL=debug"},
		help: "log what happens",
	},
	{
		short: 'v', long: "verbose", of: of(Native, Tini), set: []string{"SBINIT_LOG_LEVEL"},
		guard: true, terminal: true,
		add:  moreVerbose,
		help: "log more: info, given twice debug",
	},
	{
		short: 'P', of: of(Native, Catatonit), set: []string{"SBINIT_PAUSE=on"},
		help: "run no program, reap and wait for a stop signal",
	},
	{
		short: 'l', of: of(Native, Tini), command: CommandLicense,
		help: "print the licence",
	},
	{
		short: 'L', of: of(Native, Catatonit), command: CommandLicense,
		help: "print the licence",
	},
	{
		short: 'V', long: "version", of: of(Native, DumbInit, Catatonit), command: CommandVersion,
		help: "print the version",
	},
	{
		long: "version", of: of(Tini), command: CommandVersion,
		help: "print the version",
	},
	{
		short: 'h', long: "help", of: of(Native, Tini, DumbInit, Catatonit), command: CommandHelp,
		guard: true, terminal: true,
		views: []Command{CommandPS, CommandOrphans, CommandSessions, CommandStats, CommandCheck, CommandDoctor},
		help:  "print this",
	},
}

// moreVerbose raises the level by one, from wherever a variable put it.
func moreVerbose(c *Config, _ string) error {
	c.LogLevel = min(c.LogLevel+1, LevelDebug)
	return nil
}

// String is the option as people write it, with the name of its argument.
func (o *option) String() string {
	var s string
	switch {
	case o.long == "":
		s = "-" + string(o.short)
	case o.short == 0:
		s = "--" + o.long
	default:
		s = "-" + string(o.short) + ", --" + o.long
	}
	if o.arg != "" {
		s += " " + o.arg
	}
	return s
}
