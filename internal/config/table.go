package config

import (
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// setting is one row of the table: one variable of the environment.
type setting struct {
	name     string
	standard string // the default, as one would write it; `none` is an empty list
	help     string // Markdown, a clause without a full stop
	codec
}

// standardKeep names the programs that exist to outlive their parent.
const standardKeep = "tmux*,screen,SCREEN,zellij,ssh-agent,gpg-agent,dockerd,containerd," +
	"containerd-shim*,sshd*,mosh-server,dtach,chrome_crashpad*"

// settings is the one table. Its order is that of the documents.
var settings = slices.Concat(initSettings, terminalSettings)

// initSettings are the rows for the init and the guard.
var initSettings = []setting{
	{
		name: "SBINIT_FORWARD", standard: "group",
		help:  "forwarded signals go to the main program's process `group`, or only to the `child` itself",
		codec: choice(func(c *Config) *Forward { return &c.Forward }, forwardNames),
	},
	{
		name: "SBINIT_SIGNAL_REWRITE", standard: none,
		help:  "`TERM=INT,HUP=0`: rewrite a signal, or drop it (0), before it is forwarded; names or numbers",
		codec: rewrites(),
	},
	{
		name: "SBINIT_STOP_GRACE", standard: "off",
		help:  "after a stop signal (TERM, INT, QUIT), how long the main program may take before SIGKILL",
		codec: duration(func(c *Config) *time.Duration { return &c.StopGrace }, limits{off: true}),
	},
	{
		name: "SBINIT_EXIT_GRACE", standard: "3s",
		help: "after the main program's exit, how long the rest gets between SIGTERM and SIGKILL",
		codec: duration(func(c *Config) *time.Duration { return &c.ExitGrace },
			limits{notOff: "the container's end needs a bound"}),
	},
	{
		name: "SBINIT_EXIT_OK", standard: none,
		help:  "exit codes of the main program that are turned into 0: `143,130`",
		codec: exitCodes(),
	},
	{
		name: "SBINIT_SUBREAPER", standard: "auto",
		help:  "adopt orphans when not PID 1: `auto` is on unless PID 1, which adopts them anyway",
		codec: choice(func(c *Config) *Subreaper { return &c.Subreaper }, subreaperNames),
	},
	{
		name: "SBINIT_PARENT_DEATH_SIGNAL", standard: none,
		help:  "the signal that sbinit gets when its own parent dies",
		codec: oneSignal(func(c *Config) *unix.Signal { return &c.ParentDeathSignal }),
	},
	{
		name: "SBINIT_ORPHANS", standard: "abandoned",
		help: "a live process adopted without an owner: `abandoned` ends it if its stdin and stdout both lead to " +
			"nobody (a leaked ACP, MCP or LSP child; a dev server or a daemon stays), `terminate` ends every one, " +
			"`report` only says what `terminate` would end, `keep` leaves all alone as tini does, when not PID 1 " +
			"also at the end",
		codec: choice(func(c *Config) *Orphans { return &c.Orphans }, orphansNames),
	},
	{
		name: "SBINIT_ORPHAN_GRACE", standard: "5s",
		help: "from an orphan's adoption to its SIGTERM: time to leave by itself",
		codec: duration(func(c *Config) *time.Duration { return &c.OrphanGrace },
			limits{notOff: "to leave orphans alone, set SBINIT_ORPHANS=keep"}),
	},
	{
		name: "SBINIT_KILL_GRACE", standard: "5s",
		help: "from SIGTERM to SIGKILL, for an orphan and for what a guarded daemon left",
		codec: duration(func(c *Config) *time.Duration { return &c.KillGrace },
			limits{notOff: "to leave orphans alone, set SBINIT_ORPHANS=keep"}),
	},
	{
		name: "SBINIT_ORPHAN_KEEP", standard: standardKeep,
		help: "names of programs never ended as orphans, those that exist to outlive their parent; " +
			"a value that starts with `+` adds to the default",
		codec: globs(func(c *Config) *[]string { return &c.OrphanKeep }, standardKeep),
	},
	{
		name: "SBINIT_GUARD", standard: none,
		help: "names of daemons that own what they start: when such a daemon ends, however it does, so does all that " +
			"it started: `sandbox-agent,claude-agent-acp`",
		codec: globs(func(c *Config) *[]string { return &c.Guard }, none),
	},
	{
		name: "SBINIT_WAIT", standard: "main",
		help: "the container ends with the `main` program, or when `all` descendants have ended (a main that forks " +
			"and exits; implies `SBINIT_ORPHANS=keep`, the status is main's)",
		codec: choice(func(c *Config) *Wait { return &c.Wait }, waitNames),
	},
	{
		name: "SBINIT_STDIN_EOF", standard: "ignore",
		help: "`stop`: a hang-up on stdin with nothing left to read counts as SIGTERM, so that a container does " +
			"not outlive its controller; stdin is watched, never read",
		codec: choice(func(c *Config) *StdinEOF { return &c.StdinEOF }, stdinEOFNames),
	},
	{
		name: "SBINIT_STOP_DELAY", standard: "0",
		help: "how long a stop signal is held back before it is forwarded, for endpoints to drain",
		codec: duration(func(c *Config) *time.Duration { return &c.StopDelay },
			limits{notOff: "0 is no delay; to drop a signal, set SBINIT_SIGNAL_REWRITE=TERM=0"}),
	},
	{
		name: "SBINIT_SCAN_INTERVAL", standard: "1s",
		help: "how often new processes are looked for",
		codec: duration(func(c *Config) *time.Duration { return &c.ScanInterval },
			limits{least: 100 * time.Millisecond, notOff: "orphans would be missed"}),
	},
	{
		name: "SBINIT_SOCKET", standard: StandardSocket,
		help: "the control socket, for `sbinit ps`, `stats`, `check` and terminal sessions; only at PID 1, and none where it " +
			"cannot be made",
		codec: socketPath(func(c *Config) *string { return &c.Socket }),
	},
	{
		name: "SBINIT_LOG_LEVEL", standard: "warn",
		help:  "how much is logged, to stderr",
		codec: choice(func(c *Config) *Level { return &c.LogLevel }, levelNames),
	},
	{
		name: "SBINIT_LOG_FORMAT", standard: "console",
		help:  "log lines for people, or one JSON object a line",
		codec: choice(func(c *Config) *Format { return &c.LogFormat }, formatNames),
	},
	{
		name: "SBINIT_WARN_REAPED", standard: "off",
		help:  "log every reaped process that sbinit did not start, at `warn`",
		codec: onOff(func(c *Config) *bool { return &c.WarnReaped }),
	},
	{
		name: "SBINIT_SETSID", standard: "off",
		help: "start the main program in a session of its own, as dumb-init does; TSTP, TTIN and TTOU, which have " +
			"no effect there, are then rewritten to STOP",
		codec: onOff(func(c *Config) *bool { return &c.Session }),
	},
	{
		name: "SBINIT_SUSPEND", standard: "off",
		help: "TSTP, TTIN and TTOU stop sbinit as well, once they are forwarded, as they do dumb-init: a shell that " +
			"started it notices; of no effect as PID 1",
		codec: onOff(func(c *Config) *bool { return &c.Suspend }),
	},
	{
		name: "SBINIT_PAUSE", standard: "off",
		help:  "run no program, reap and wait for a stop signal: a pod's pause container",
		codec: onOff(func(c *Config) *bool { return &c.Pause }),
	},
}

// named finds a row. All names come from tables of this package, and a test
// looks each one up.
func named(name string) *setting {
	for i := range settings {
		if settings[i].name == name {
			return &settings[i]
		}
	}
	return nil
}

// assign applies NAME=value, the form in which the other tables set rows.
func assign(c *Config, assignment string) error {
	name, value, _ := strings.Cut(assignment, "=")
	return named(name).set(c, value)
}

// Effective is the whole configuration as NAME=value, for the log. Read back as
// variables it gives the same configuration, whatever sbinit is called.
func Effective(c Config) []string {
	lines := make([]string, len(settings))
	for i, s := range settings {
		lines[i] = s.name + "=" + s.get(&c)
	}
	return lines
}
