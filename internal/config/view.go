package config

import (
	"slices"
	"strings"
)

// View is what a view was asked to show.
type View struct {
	JSON       bool
	Prometheus bool      // stats: in the text exposition format
	PSS        bool      // ps: the proportional memory too
	Wide       bool      // cut no line
	Count      bool      // orphans: one number
	Match      []string  // orphans: globs over names; none: all
	Faults     Faults    // doctor: what the init would refuse to start with
	Warnings   []Warning // doctor: what the init would warn of
	Max        int       // orphans: more of them are a failure; negative: never
	MaxZombies int       // check: the same of zombies
}

// view is one row of the table of commands that only look, and change nothing.
type view struct {
	word    string
	command Command
	short   string // for the list of commands
	about   string
	exit    string // what its exit status says
}

const viewExit = "0; 125 if that cannot be told here"

var views = []view{
	{
		word: "ps", command: CommandPS, short: "what runs, and who owns it",
		about: "The processes of this container as a tree, each with its owner: the main program, the guard or terminal " +
			"session that it ends with, or none (an orphan). What was started from outside (docker exec) has no parent " +
			"here, and is `exec`. Of a zombie it says who has to wait for it. Without the init's socket it reads /proc " +
			"alone, and knows no SBINIT_GUARD by its name.",
		exit: viewExit,
	},
	{
		word: "orphans", command: CommandOrphans, short: "live processes that PID 1 adopted",
		about: "The live processes that PID 1 adopted because their parent died: its children, without those that it started. " +
			"Without the init's socket the oldest child is taken for the main program, and no other was started: true of " +
			"sbinit, tini, dumb-init and catatonit.",
		exit: "0; 1 if there are more than --max; 125 if that cannot be told here",
	},
	{
		word: "sessions", command: CommandSessions, short: "terminal sessions under the init",
		about: "The terminal sessions that were opened through the init's socket.",
		exit:  viewExit,
	},
	{
		word: "stats", command: CommandStats, short: "what the init has done so far",
		about: "What the init counted since its start, and what is there now, as it says itself through its socket.",
		exit:  viewExit,
	},
	{
		word: "check", command: CommandCheck, short: "health: exit 0, or 1 with a reason",
		about: "For HEALTHCHECK and probes. Unhealthy is: the init does not answer; something that was to be ended could " +
			"not be since its start; more orphans or zombies than allowed; PID 1 is no sbinit. It takes 5 seconds at most. " +
			"Without the init's socket only /proc is looked at, which it says.",
		exit: "0 healthy, 1 unhealthy",
	},
	{
		word: "doctor", command: CommandDoctor, short: "what this kernel and container allow",
		about: "The settings, read as the init reads them, and what sbinit needs, tried here one by one, with what a lack " +
			"costs and how to give it. Also a command of PID 1: `docker run --rm --entrypoint /sbinit IMAGE doctor`.",
		exit: "0 if init, guard and terminal have what they need, 1 if not",
	},
}

// viewOf finds a row, or nil.
func viewOf(word string) *view {
	i := slices.IndexFunc(views, func(v view) bool { return v.word == word })
	if i < 0 {
		return nil
	}
	return &views[i]
}

func (v *view) takes(o *option) bool { return slices.Contains(o.views, v.command) }

// parse parses `sbinit WORD [OPTIONS]`. The one setting that it reads says where the
// init's socket is: the others are the init's, whatever is wrong with them.
func (v *view) parse(p *parser, args []string) Invocation {
	given, rest := p.scan(args, v.takes)
	if slices.ContainsFunc(given, isHelp) {
		return Invocation{Command: CommandHelp, Topic: v.word}
	}
	p.noMore(v.word, rest)
	in := Invocation{Command: v.command, Config: Default(Native), View: View{Max: -1, MaxZombies: -1}}
	for _, g := range given {
		if err := g.option.look(&in.View, g.arg); err != nil {
			p.faults.add(g.name, g.arg, err)
		}
	}
	if v.command == CommandDoctor {
		p.examine(&in)
		return in
	}
	const where = "SBINIT_SOCKET"
	if value, ok := environ(p.in.Environ).value(where); ok {
		if err := named(where).set(&in.Config, value); err != nil {
			p.faults.add(where, value, err)
		}
	}
	return in
}

// examine reads the settings as the init would.
func (p *parser) examine(in *Invocation) {
	q := &parser{in: p.in, personality: p.personality}
	q.peers(&in.Config)
	q.variables(&in.Config)
	q.implied(&in.Config)
	in.View.Faults, in.View.Warnings = q.faults, q.warnings
}

// ViewsMarkdown is a table of the views and their options.
func ViewsMarkdown() string {
	var b strings.Builder
	b.WriteString("| command | shows | options | exit status |\n|---|---|---|---|\n")
	for _, v := range views {
		var names []string
		for i := range options {
			if o := &options[i]; v.takes(o) && o.command != CommandHelp {
				names = append(names, o.String())
			}
		}
		row(&b, code("sbinit "+v.word), v.short, code(names...), v.exit)
	}
	return b.String()
}
