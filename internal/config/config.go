package config

import (
	"time"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/signals"
)

// Off is the duration of what never happens. It is written `off`; 0 is at once.
const Off time.Duration = -1

// Config is everything that can be set. It does not change once it is parsed.
type Config struct {
	Forward Forward         // who gets a forwarded signal
	Rewrite signals.Rewrite // what becomes of a signal before it is forwarded

	StopGrace    time.Duration // from a stop signal to SIGKILL of the main program; may be Off
	ExitGrace    time.Duration // from SIGTERM to SIGKILL of the rest once the main program has ended
	OrphanGrace  time.Duration // from adoption of an orphan to its SIGTERM
	KillGrace    time.Duration // from an orphan's SIGTERM to its SIGKILL
	StopDelay    time.Duration // how long a stop signal is held back
	ScanInterval time.Duration // between two looks for new processes, at least 100 ms

	ExitOK            ExitCodes   // statuses of the main program that become 0
	Subreaper         Subreaper   // whether sbinit adopts the orphans below it
	ParentDeathSignal unix.Signal // what sbinit gets when its parent dies; 0 is none

	Orphans    Orphans  // what happens to live orphans without an owner
	OrphanKeep []string // globs (path.Match) over names that are never ended as orphans
	Guard      []string // globs over names of daemons that own what they start
	Wait       Wait     // whose end is the container's end
	StdinEOF   StdinEOF // what a hang-up on stdin means
	Socket     string   // path of the control socket; empty: none

	LogLevel   Level
	LogFormat  Format
	WarnReaped bool // log each reaped process that sbinit did not start, at warn

	Pause   bool // run no program, wait for a stop signal
	Session bool // the main program gets a session of its own
	Suspend bool // the signals that stop a terminal's job stop sbinit too

	Terminal Terminal // bounds of terminal sessions
}

// Invocation is what the command line asks for.
type Invocation struct {
	Command     Command
	Config      Config   // meaningful for CommandRun, CommandGuard, CommandTerminal and CommandShell
	Argv        []string // the program and its arguments, for CommandRun, CommandGuard, CommandKeep and CommandShell; may be empty for CommandShell and with Config.Pause
	Personality Personality
	View        View   // what is asked of a view
	Topic       string // what help is asked for: "env", a view's word, or nothing
}

// Input is all that Parse looks at.
type Input struct {
	Args    []string // with argv[0]
	Environ []string // as environ(7) has it; of a name given twice the first counts, as in getenv(3)
	PID1    bool     // as PID 1 few words are commands, so that an image's program of such a name runs
}
