package config

import (
	"slices"
	"strings"
)

// topic is one row of the table of commands that are no views.
type topic struct {
	word     string
	command  Command
	args     string
	takes    func(*option) bool
	settings bool // it reads them
	about    string
	example  string
}

var topics = []topic{
	{
		word: "guard", command: CommandGuard, args: "[OPTIONS] [--] PROGRAM [ARG...]", settings: true,
		takes: func(o *option) bool { return o.guard },
		about: "Run PROGRAM. When it or this guard ends, however that comes, all that it started is ended. Of the settings " +
			"SBINIT_FORWARD, SBINIT_SIGNAL_REWRITE, SBINIT_STOP_GRACE, SBINIT_STOP_DELAY, SBINIT_KILL_GRACE, SBINIT_EXIT_OK and " +
			"SBINIT_LOG_* count.",
		example: "sbinit guard -- sandbox-agent server",
	},
	{
		word: "terminal", command: CommandTerminal, args: "[OPTIONS]", settings: true,
		takes: func(o *option) bool { return o.terminal },
		about: "One contained terminal session, JSON lines on stdin and stdout. Of the settings SBINIT_TERMINAL_*, " +
			"SBINIT_KILL_GRACE, SBINIT_SCAN_INTERVAL and SBINIT_LOG_* count.",
		example: `(echo '{"type":"open","cols":80,"rows":24}'; cat) | sbinit terminal`,
	},
	{
		word: "shell", command: CommandShell, args: "[OPTIONS] [--] [PROGRAM [ARG...]]", settings: true,
		takes: func(o *option) bool { return o.terminal },
		about: "A contained terminal session for a person: PROGRAM, or a shell. The settings of terminal count, and " +
			"SBINIT_SOCKET, by which the init is asked for it.",
		example: "sbinit shell -- top",
	},
	{
		word: "keep", command: CommandKeep, args: "[--] PROGRAM [ARG...]", takes: helpOnly,
		about:   "Run PROGRAM with SBINIT_KEEP=1, so that it is not ended as an orphan. No setting counts.",
		example: "sbinit keep sshd -D",
	},
	{
		word: "version", command: CommandVersion, takes: helpOnly,
		about:   "Print the version. No setting counts.",
		example: "docker run --rm --entrypoint /sbinit IMAGE version",
	},
	{
		word: "help", command: CommandHelp, args: "[env | COMMAND]", takes: helpOnly,
		about:   "Say what sbinit, its variables (env) or one of its commands do. No setting counts.",
		example: "sbinit help guard",
	},
}

func helpOnly(o *option) bool { return o.command == CommandHelp }

// topicOf finds a row, or nil.
func topicOf(word string) *topic {
	i := slices.IndexFunc(topics, func(t topic) bool { return t.word == word })
	if i < 0 {
		return nil
	}
	return &topics[i]
}

func (t *topic) usageLine() string {
	return strings.TrimSpace("usage: sbinit " + t.word + " " + t.args)
}

// CommandUsage is the text of `sbinit help WORD`, for a command's word.
func CommandUsage(word string) string {
	t, last := topicOf(word), ""
	if v := viewOf(word); v != nil {
		t, last = &topic{word: word, args: "[OPTIONS]", takes: v.takes, about: v.about}, "exit status: "+v.exit
	} else {
		last = "example: " + t.example
	}
	var b strings.Builder
	wrap(&b, plain(t.about), "")
	text := t.usageLine() + "\n\n" + b.String() + "\noptions:\n"
	b.Reset()
	describeOptions(&b, t.takes, 21)
	return text + b.String() + "\n" + last + "\n"
}
