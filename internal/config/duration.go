package config

import (
	"errors"
	"strconv"
	"strings"
	"time"
)

// limits are the durations that a setting takes. 0 is legal if least is 0.
type limits struct {
	least  time.Duration
	off    bool   // `off` is legal
	notOff string // why it is not
}

// longest is the upper bound of all durations: more than a day is a mistake in
// the unit, and what is never to happen is written `off`.
const longest = 24 * time.Hour

func duration(field func(*Config) *time.Duration, l limits) codec {
	return codec{
		values: l.values(),
		set: func(c *Config, value string) error {
			d, err := parseDuration(value, l)
			if err == nil {
				*field(c) = d
			}
			return err
		},
		get: func(c *Config) string { return formatDuration(*field(c)) },
	}
}

func (l limits) values() string {
	values := "duration"
	if l.least > 0 {
		values += " from " + code(formatDuration(l.least))
	} else {
		values += ", `0`"
	}
	if l.off {
		values += ", `off`"
	}
	return values
}

func parseDuration(value string, l limits) (time.Duration, error) {
	if strings.EqualFold(value, "off") {
		if !l.off {
			return 0, errors.New("cannot be off: " + l.notOff)
		}
		return Off, nil
	}
	d, err := time.ParseDuration(value)
	switch {
	case err != nil:
		return 0, errors.New(l.want() + durationHint(value, l))
	case d < 0:
		return 0, errors.New(l.want() + ", and not a negative one")
	case d < l.least:
		return 0, errors.New("want at least " + formatDuration(l.least))
	case d > longest:
		return 0, errors.New("want at most " + formatDuration(longest) + offInstead(l))
	}
	return d, nil
}

func (l limits) want() string {
	if l.off && l.least > 0 {
		return "want a duration such as 1500ms or 5s, or off (never)"
	}
	if l.off {
		return "want a duration such as 1500ms or 5s, 0 (at once) or off (never)"
	}
	if l.least > 0 {
		return "want a duration such as 1500ms or 5s"
	}
	return "want a duration such as 1500ms or 5s, or 0 (at once)"
}

// durationHint guesses what was meant: a number without its unit, or an `off`
// that YAML made a boolean of.
func durationHint(value string, l limits) string {
	if _, err := strconv.ParseUint(value, 10, 32); err == nil {
		return "; did you mean " + value + "s?"
	}
	if l.off && strings.EqualFold(value, "false") {
		return `; did you mean off? YAML needs it in quotes: "off"`
	}
	return ""
}

func offInstead(l limits) string {
	if l.off {
		return ", or off (never)"
	}
	return ""
}

// formatDuration is the shortest form that parseDuration reads back: 1h, not
// 1h0m0s.
func formatDuration(d time.Duration) string {
	switch d {
	case Off:
		return "off"
	case 0:
		return "0"
	}
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
