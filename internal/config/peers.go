package config

import (
	"errors"
	"slices"
	"strings"
)

// peer is a variable of another init. sbinit by its own name reads all of them,
// by a peer's name only that peer's.
type peer struct {
	name   string
	of     Personality
	set    []string // assignments if the variable is there at all, also empty
	values []peerValue
}

// peerValue is what one value of a peer's variable sets.
type peerValue struct {
	value string
	set   []string
}

var peers = []peer{
	{name: "TINI_SUBREAPER", of: Tini, set: []string{"SBINIT_SUBREAPER=on"}},
	{name: "TINI_KILL_PROCESS_GROUP", of: Tini, set: []string{"SBINIT_FORWARD=group"}},
	{name: "TINI_VERBOSITY", of: Tini, values: []peerValue{
		{"0", []string{"SBINIT_LOG_LEVEL=error"}},
		{"1", []string{"SBINIT_LOG_LEVEL=warn"}},
		{"2", []string{"SBINIT_LOG_LEVEL=info"}},
		{"3", []string{"SBINIT_LOG_LEVEL=debug"}},
	}},
	{name: "DUMB_INIT_SETSID", of: DumbInit, values: []peerValue{
		{"0", []string{"SBINIT_SETSID=off", "SBINIT_FORWARD=child"}},
		{"1", []string{"SBINIT_SETSID=on", "SBINIT_FORWARD=group"}},
	}},
	{name: "DUMB_INIT_DEBUG", of: DumbInit, values: []peerValue{
		{"0", nil},
		{"1", []string{"SBINIT_LOG_LEVEL=debug"}},
	}},
}

// apply sets what the environment says, if it says anything.
func (v *peer) apply(c *Config, env environ) (value string, err error) {
	raw, ok := env.lookup(v.name)
	if !ok {
		return "", nil
	}
	if v.set != nil {
		setAll(c, v.set)
		return raw, nil
	}
	value = strings.TrimSpace(raw)
	if value == "" {
		return "", nil
	}
	i := slices.IndexFunc(v.values, func(known peerValue) bool { return known.value == value })
	if i < 0 {
		return value, errors.New("want " + v.choices())
	}
	setAll(c, v.values[i].set)
	return value, nil
}

// choices is "0, 1, 2 or 3".
func (v *peer) choices() string {
	last := len(v.values) - 1
	var list strings.Builder
	for i, known := range v.values {
		switch {
		case i == 0:
		case i == last:
			list.WriteString(" or ")
		default:
			list.WriteString(", ")
		}
		list.WriteString(known.value)
	}
	return list.String()
}

func setAll(c *Config, assignments []string) {
	for _, assignment := range assignments {
		mustSet(assign(c, assignment))
	}
}
