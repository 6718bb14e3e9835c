package config

import (
	"path"
	"slices"
)

// Personality is the program whose name sbinit was called by, and whose
// defaults it therefore has: `dockerd --init-path`, podman's and old
// Dockerfiles' ENTRYPOINT need no change.
type Personality uint8

// docker-init is tini, podman-init is catatonit.
const (
	Native Personality = iota
	Tini
	DumbInit
	Catatonit
)

// personality is one row of the table of defaults.
type personality struct {
	names    []string // base names of argv[0]
	version  string   // begins the version line; docker parses tini's
	defaults []string // what differs from the table of settings
	refusals refusals
	onStderr []Command // what is printed there, and not on standard output
}

// refusals are the exit statuses that say why there is no main program.
type refusals struct{ own, cannotRun, notFound int }

// The statuses of coreutils and docker, which sbinit has by its own name.
const (
	exitOwnFailure = 125
	exitCannotRun  = 126
	exitNotFound   = 127
)

// The peers leave the rest of the processes to the kernel, which kills them all
// when PID 1 ends: no grace. Tini and dumb-init adopt orphans only where they are
// told to. dumb-init and catatonit say nothing of what goes well. None makes a file.
var personalities = [...]personality{
	Native: {names: []string{"sbinit"}, refusals: refusals{exitOwnFailure, exitCannotRun, exitNotFound}},
	Tini: {
		names:   []string{"tini", "docker-init"},
		version: "tini version 0.19.0",
		defaults: []string{
			"SBINIT_FORWARD=child", "SBINIT_ORPHANS=keep", "SBINIT_SUBREAPER=off", "SBINIT_EXIT_GRACE=0", "SBINIT_SOCKET=off",
		},
		refusals: refusals{own: 1, cannotRun: exitCannotRun, notFound: exitNotFound},
	},
	DumbInit: {
		names:   []string{"dumb-init"},
		version: "dumb-init v1.2.5",
		defaults: []string{
			"SBINIT_SETSID=on", "SBINIT_SUSPEND=on", "SBINIT_ORPHANS=keep", "SBINIT_SUBREAPER=off", "SBINIT_EXIT_GRACE=0",
			"SBINIT_LOG_LEVEL=error", "SBINIT_SOCKET=off",
		},
		refusals: refusals{own: 1, cannotRun: 2, notFound: 2},
		onStderr: []Command{CommandHelp, CommandVersion},
	},
	Catatonit: {
		names:   []string{"catatonit", "podman-init"},
		version: "tini version 0.2.1_catatonit",
		defaults: []string{
			"SBINIT_FORWARD=child", "SBINIT_ORPHANS=keep", "SBINIT_EXIT_GRACE=0", "SBINIT_LOG_LEVEL=error", "SBINIT_SOCKET=off",
		},
		refusals: refusals{own: 1, cannotRun: 1, notFound: 1},
		onStderr: []Command{CommandHelp},
	},
}

func (p Personality) String() string { return personalities[p].names[0] }

// Version is the version line. Every docker since 1.13 asks its init for one, by
// whatever name, and reads `tini version X` or the commit after ` - git.`, which older
// ones want at the end. toolchain is the version of Go.
func (p Personality) Version(version, commit, toolchain string) string {
	line := "sbinit " + version
	if peer := personalities[p].version; peer != "" {
		return peer + " (" + line + ")"
	}
	return line + " (" + toolchain + ") - git." + commit
}

// Refusal is the exit status by that name for one of sbinit's own 125, 126 and 127,
// which say why there is no main program.
func (p Personality) Refusal(status int) int {
	r := personalities[p].refusals
	switch status {
	case exitOwnFailure:
		return r.own
	case exitCannotRun:
		return r.cannotRun
	case exitNotFound:
		return r.notFound
	}
	return status
}

// Stream is the descriptor on which a command prints what was asked for.
func (p Personality) Stream(c Command) int {
	if slices.Contains(personalities[p].onStderr, c) {
		return 2
	}
	return 1
}

// Default is the configuration without any option or variable.
func Default(p Personality) Config {
	var c Config
	for _, s := range settings {
		mustSet(s.set(&c, s.standard))
	}
	for _, assignment := range personalities[p].defaults {
		mustSet(assign(&c, assignment))
	}
	return c
}

// mustSet takes the result of setting a value that is written in a table of this
// package. A test sets each of them.
func mustSet(err error) {
	if err != nil {
		panic("config: table: " + err.Error())
	}
}

// called finds the personality for argv[0].
func called(argv0 string) Personality {
	base := path.Base(argv0)
	for p, row := range personalities {
		for _, name := range row.names {
			if name == base {
				return Personality(p)
			}
		}
	}
	return Native
}

// origin is a set of personalities: whose an option or a variable is.
type origin uint8

func of(list ...Personality) origin {
	var set origin
	for _, p := range list {
		set |= 1 << p
	}
	return set
}

func (o origin) has(p Personality) bool { return o&(1<<p) != 0 }
