package config

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"time"
)

// Terminal bounds a terminal session. A caller may ask for less.
type Terminal struct {
	Lifetime time.Duration // from the start of the program; may be Off
	Idle     time.Duration // without input and output; may be Off
	IO       time.Duration // a caller that takes no output; also for the last output
	Cleanup  time.Duration // to end what the session started

	DrainLimit  int // bytes of output taken after the end has begun
	Descendants int // processes at once
	Scan        int // processes signalled in one pass
	Sessions    int // at once, at PID 1

	Env  []string // names of variables that the program gets beside the usual ones
	User User     // who runs the program
}

// User is who a terminal's program runs as, if Set, else who the worker runs as.
type User struct {
	UID, GID uint32
	Set      bool
}

// terminalSettings are the rows for package terminal.
var terminalSettings = []setting{
	{
		name: "SBINIT_TERMINAL_LIFETIME", standard: "1h",
		help:  "a terminal session's longest life; a caller may ask for less",
		codec: duration(func(c *Config) *time.Duration { return &c.Terminal.Lifetime }, limits{least: time.Millisecond, off: true}),
	},
	{
		name: "SBINIT_TERMINAL_IDLE", standard: "5m",
		help:  "a session ends after so long without input and output; a caller may ask for less",
		codec: duration(func(c *Config) *time.Duration { return &c.Terminal.Idle }, limits{least: time.Millisecond, off: true}),
	},
	{
		name: "SBINIT_TERMINAL_IO_TIMEOUT", standard: "5s",
		help: "a session ends when its caller takes no output for so long; also the time for the last output",
		codec: duration(func(c *Config) *time.Duration { return &c.Terminal.IO },
			limits{least: time.Millisecond, notOff: "a caller that stopped reading would hold the session up for ever"}),
	},
	{
		name: "SBINIT_TERMINAL_CLEANUP_TIMEOUT", standard: "5s",
		help: "the time to end what a session started, the first fifth of it (SBINIT_KILL_GRACE at most) politely",
		codec: duration(func(c *Config) *time.Duration { return &c.Terminal.Cleanup },
			limits{least: time.Millisecond, notOff: "a session's end needs a bound"}),
	},
	{
		name: "SBINIT_TERMINAL_DRAIN_LIMIT", standard: "64KiB",
		help:  "output taken after a session's end has begun; more is cut off, and said to be",
		codec: size(func(c *Config) *int { return &c.Terminal.DrainLimit }, 16<<20),
	},
	{
		name: "SBINIT_TERMINAL_DESCENDANTS", standard: "256",
		help:  "processes that a session may have at once; with more it ends",
		codec: count(func(c *Config) *int { return &c.Terminal.Descendants }, maxProcesses),
	},
	{
		name: "SBINIT_TERMINAL_SCAN", standard: "4096",
		help:  "processes of a session that one pass of its end signals; more wait for the next pass",
		codec: count(func(c *Config) *int { return &c.Terminal.Scan }, maxProcesses),
	},
	{
		name: "SBINIT_TERMINAL_SESSIONS", standard: "16",
		help:  "sessions at once that are opened through the control socket",
		codec: count(func(c *Config) *int { return &c.Terminal.Sessions }, 4096),
	},
	{
		name: "SBINIT_TERMINAL_ENV", standard: none,
		help: "names of variables that a session's program gets from sbinit's environment, beside " +
			"PATH HOME USER LOGNAME SHELL LANG LC_* TZ TERM COLORTERM TMPDIR: `EDITOR,NODE_ENV`",
		codec: variables(func(c *Config) *[]string { return &c.Terminal.Env }),
	},
	{
		name: "SBINIT_TERMINAL_USER", standard: none,
		help:  "`uid:gid` that a session's program runs as, which then cannot signal sbinit; needs root",
		codec: user(func(c *Config) *User { return &c.Terminal.User }),
	},
}

// maxProcesses is the kernel's most (PID_MAX_LIMIT of 64 bits, proc_sys_kernel(5)).
const maxProcesses = 4 << 20

// count is a whole number from 1.
func count(field func(*Config) *int, most int) codec {
	return codec{
		values: "number",
		set: func(c *Config, value string) error {
			n, err := strconv.ParseUint(value, 10, 32)
			if err != nil || n < 1 || n > uint64(most) {
				return errors.New("want a number from 1 to " + strconv.Itoa(most))
			}
			*field(c) = int(n)
			return nil
		},
		get: func(c *Config) string { return strconv.Itoa(*field(c)) },
	}
}

const kib = 1 << 10

// size is a number of bytes, or of KiB or MiB.
func size(field func(*Config) *int, most int) codec {
	return codec{
		values: "size",
		set: func(c *Config, value string) error {
			n, ok := parseSize(value)
			if !ok || n > uint64(most) {
				return errors.New("want a number of bytes such as 65536, 64KiB or 1MiB, at most " + formatSize(most))
			}
			*field(c) = int(n)
			return nil
		},
		get: func(c *Config) string { return formatSize(*field(c)) },
	}
}

func parseSize(value string) (uint64, bool) {
	unit := uint64(1)
	digits, ok := strings.CutSuffix(value, "KiB")
	if ok {
		unit = kib
	} else if digits, ok = strings.CutSuffix(value, "MiB"); ok {
		unit = kib * kib
	}
	n, err := strconv.ParseUint(digits, 10, 32)
	return n * unit, err == nil
}

func formatSize(n int) string {
	switch {
	case n > 0 && n%(kib*kib) == 0:
		return strconv.Itoa(n/(kib*kib)) + "MiB"
	case n > 0 && n%kib == 0:
		return strconv.Itoa(n/kib) + "KiB"
	}
	return strconv.Itoa(n)
}

// variables is a list of names of variables.
func variables(field func(*Config) *[]string) codec {
	return codec{
		values: "list of names",
		set: func(c *Config, value string) error {
			if value == none {
				*field(c) = nil
				return nil
			}
			var list []string
			for name := range strings.SplitSeq(value, ",") {
				name = strings.TrimSpace(name)
				if !isVariable(name) {
					return errors.New(quote(name) + " is no variable's name; want names such as EDITOR,NODE_ENV")
				}
				list = append(list, name)
			}
			*field(c) = list
			return nil
		},
		get: func(c *Config) string { return orNone(strings.Join(*field(c), ",")) },
	}
}

// isVariable is for names that a shell can write.
func isVariable(name string) bool {
	for i, c := range []byte(name) {
		letter := c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}

// user is uid:gid, both numbers: no user database is relied on.
func user(field func(*Config) *User) codec {
	return codec{
		values: "`uid:gid`",
		set: func(c *Config, value string) error {
			if value == none {
				*field(c) = User{}
				return nil
			}
			u, ok := parseUser(value)
			if !ok {
				return errors.New("want two numbers such as 1000:1000")
			}
			*field(c) = u
			return nil
		},
		get: func(c *Config) string { return field(c).String() },
	}
}

// parseUser refuses the highest number, by which setresuid(2) means no change.
func parseUser(value string) (User, bool) {
	left, right, _ := strings.Cut(value, ":")
	uid, errUID := strconv.ParseUint(left, 10, 32)
	gid, errGID := strconv.ParseUint(right, 10, 32)
	if errUID != nil || errGID != nil || uid == math.MaxUint32 || gid == math.MaxUint32 {
		return User{}, false
	}
	return User{UID: uint32(uid), GID: uint32(gid), Set: true}, true
}

func (u User) String() string {
	if !u.Set {
		return none
	}
	return strconv.FormatUint(uint64(u.UID), 10) + ":" + strconv.FormatUint(uint64(u.GID), 10)
}
