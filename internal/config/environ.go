package config

import (
	"slices"
	"strings"
)

// environ is the environment, read as getenv(3) reads it: of a name given twice
// the first counts, and what has no `=` has no name.
type environ []string

func (e environ) lookup(name string) (string, bool) {
	for _, entry := range e {
		if key, value, ok := strings.Cut(entry, "="); ok && key == name {
			return value, true
		}
	}
	return "", false
}

// value is a setting's value without the blanks around it. An empty one counts
// as not set: `SBINIT_X: ${X:-}` in a compose file asks for the default.
func (e environ) value(name string) (string, bool) {
	raw, _ := e.lookup(name)
	value := strings.TrimSpace(raw)
	return value, value != ""
}

const (
	prefix = "SBINIT_"

	// keepVariable is no setting: a process carries it to opt out of
	// SBINIT_ORPHANS.
	keepVariable = prefix + "KEEP"
)

// strangers are the warnings about variables that begin with SBINIT_ and are no
// settings. They are no faults: kubelet makes SBINIT_PORT out of a service of
// the name sbinit.
func (e environ) strangers() []Warning {
	var warnings []Warning
	var seen []string
	for _, entry := range e {
		name, _, ok := strings.Cut(entry, "=")
		if !ok || !strings.HasPrefix(name, prefix) || slices.Contains(seen, name) {
			continue
		}
		seen = append(seen, name)
		value, ok := e.value(name)
		if !ok || named(name) != nil {
			continue
		}
		if text := stranger(name, value); text != "" {
			warnings = append(warnings, Warning{Name: name, Value: value, Text: text})
		}
	}
	return warnings
}

func stranger(name, value string) string {
	switch {
	case name == keepVariable && value == "1":
		return "the main program and all that it starts inherit this, and none of them will be ended as an orphan; " +
			"use `sbinit keep PROGRAM` for one program, SBINIT_ORPHANS=keep for all"
	case name == keepVariable:
		return "has no effect: only 1 exempts a process from SBINIT_ORPHANS"
	}
	return "unknown, has no effect" + nearestVariable(name)
}

// nearestVariable compares what follows the common prefix, which would otherwise
// make short names alike.
func nearestVariable(name string) string {
	known := []string{strings.TrimPrefix(keepVariable, prefix)}
	for _, s := range settings {
		known = append(known, strings.TrimPrefix(s.name, prefix))
	}
	near, ok := nearest(strings.TrimPrefix(name, prefix), known)
	if !ok {
		return "; `sbinit help env` lists all"
	}
	return "; did you mean " + prefix + near + "?"
}
