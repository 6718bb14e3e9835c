package terminal

import (
	"slices"
	"strings"
)

// passed are the variables that a program on a terminal gets from the environment of
// whoever starts it, LC_* aside. All else may be a credential of a daemon's.
var passed = []string{"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TZ", "TERM", "COLORTERM", "TMPDIR"}

// standardTerm is TERM where neither the environment nor the caller has one, or what it
// has says that there is no terminal, as it may for a daemon.
const standardTerm = "xterm-256color"

// An environ is an environment as environ(7) has it.
type environ []string

// listed are the entries that a program gets: the usual ones and those of more.
func listed(from []string, more []string) (env environ) {
	for _, entry := range from {
		name, _, ok := strings.Cut(entry, "=")
		if !ok || env.has(name) {
			continue
		}
		if slices.Contains(passed, name) || strings.HasPrefix(name, "LC_") || slices.Contains(more, name) {
			env = append(env, entry)
		}
	}
	return env
}

func (e environ) lookup(name string) (string, bool) {
	for _, entry := range e {
		if key, value, _ := strings.Cut(entry, "="); key == name {
			return value, true
		}
	}
	return "", false
}

func (e environ) has(name string) bool {
	_, ok := e.lookup(name)
	return ok
}

// set gives a variable a value, in the place of its old one.
func (e *environ) set(entry string) {
	name, _, _ := strings.Cut(entry, "=")
	for i, old := range *e {
		if key, _, _ := strings.Cut(old, "="); key == name {
			(*e)[i] = entry
			return
		}
	}
	*e = append(*e, entry)
}

// unset removes variables.
func (e *environ) unset(names ...string) {
	*e = slices.DeleteFunc(*e, func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return slices.Contains(names, name)
	})
}
