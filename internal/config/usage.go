package config

import (
	"fmt"
	"slices"
	"strings"
)

const width = 80 // columns of plain text

const usageCommands = `usage:
  sbinit [OPTIONS] [--] PROGRAM [ARG...]  run PROGRAM as the main program
  sbinit guard [OPTIONS] [--] PROGRAM [ARG...]
                                          run PROGRAM; when it or this guard
                                          ends, nothing it started survives
  sbinit terminal [OPTIONS]               one contained terminal session, JSON
                                          lines on stdin and stdout
  sbinit shell [OPTIONS] [--] [PROGRAM [ARG...]]
                                          the same for a person at a terminal
  sbinit keep [--] PROGRAM [ARG...]       run PROGRAM with SBINIT_KEEP=1: a
                                          daemon meant to outlive its parent
`

const usageHead = `  sbinit version | help | help env        the version, this, all variables

` + "`sbinit help NAME`" + ` says more of each command.

As PID 1 only help, version and doctor are commands, so that an image's own
programs of the other names run. ` + "`sbinit -- NAME`" + ` always runs a program.

options (guard takes -r, -e, -v and -h; terminal and shell -v and -h):
`

const usageTail = `
An option wins over the variable of the same meaning, and a list given by
options replaces the variable's. Called by the name tini, docker-init,
dumb-init, catatonit or podman-init, sbinit takes that program's options and
defaults.

exit status: the main program's; 128+N if signal N ended it; 127 if it was not
found; 126 if it could not be run; 125 if sbinit itself failed. Of terminal: 0
if nothing is left of the session; 1 the same, after an error; 2 if something
is left, as with any other status.
`

// Usage is the text of `sbinit help`, and of another init's -h by its name: that has
// its options, and no commands.
func (p Personality) Usage() string {
	var b strings.Builder
	if p != Native {
		return p.peerUsage()
	}
	b.WriteString(usageCommands)
	for _, v := range views {
		name := "  sbinit " + v.word
		b.WriteString(name + strings.Repeat(" ", 42-len(name)) + v.short + "\n")
	}
	b.WriteString(usageHead)
	describeOptions(&b, p.takes, 27)
	b.WriteString(usageTail)
	return b.String()
}

func (p Personality) peerUsage() string {
	var b strings.Builder
	b.WriteString(p.usageLine() + "\n\n")
	wrap(&b, "This is sbinit with the options and defaults of "+p.String()+", called by its name. "+
		"`sbinit help` and `sbinit help env` say what else can be set.", "")
	b.WriteString("\noptions:\n")
	describeOptions(&b, p.takes, 27)
	b.WriteByte('\n')
	r := personalities[p].refusals
	wrap(&b, fmt.Sprintf("exit status: the main program's; 128+N if signal N ended it; %d if it was not found; "+
		"%d if it could not be run; %d if %s itself failed.", r.notFound, r.cannotRun, r.own, p), "")
	return b.String()
}

// usageLine stands in for the whole help in an error.
func (p Personality) usageLine() string {
	return "usage: " + p.String() + " [OPTIONS] [--] PROGRAM [ARG...]"
}

// takes says whether it is an option by that name.
func (p Personality) takes(o *option) bool { return o.of.has(p) }

// describeOptions lists those that are taken, with the help in that column.
func describeOptions(b *strings.Builder, takes func(*option) bool, column int) {
	for i := range options {
		o := &options[i]
		if !takes(o) {
			continue
		}
		name := "  " + o.String()
		b.WriteString(name + strings.Repeat(" ", max(1, column-len(name))) + o.help + "\n")
	}
}

const envHead = `Settings of sbinit, each with its default. An empty variable counts as one that
is not set; "none" is an empty list. Durations are Go's, such as 1500ms, 5s or
1h30m, at most 24h; 0 is at once and off is never, where they are listed. An
unknown SBINIT_* name is a warning, a wrong value is refused with exit status
125.

`

const envKeep = `
SBINIT_KEEP=1 is no setting of the init: a process that has it in its
environment is not ended as an orphan. ` + "`sbinit keep PROGRAM`" + ` starts one.

Variables of other inits, read where the SBINIT_* one of the same meaning is not
set:

`

// EnvHelp is the text of `sbinit help env`.
func EnvHelp() string {
	var b strings.Builder
	b.WriteString(envHead)
	for i := range settings {
		settings[i].describe(&b)
	}
	b.WriteString(envKeep)
	for i := range peers {
		v := &peers[i]
		b.WriteString(v.name + "\n")
		wrap(&b, v.meaning("; ", ""), "      ")
	}
	return b.String()
}

func (s *setting) describe(b *strings.Builder) {
	standard, help := s.documented()
	b.WriteString(s.name + standard + "\n")
	about := plain(s.values)
	if names := optionsFor(s.name); len(names) > 0 {
		about += "   (" + strings.Join(names, ", ") + ")"
	}
	b.WriteString("    " + about + "\n")
	wrap(b, plain(help), "      ")
}

// documented is the default and the help. The default of a long list goes to the
// help, which can be broken into lines.
func (s *setting) documented() (standard, help string) {
	const longest = 20
	if len(s.standard) <= longest {
		return "=" + s.standard, s.help
	}
	return "", s.help + "; default: " + code(strings.Split(s.standard, ",")...)
}

// optionsFor lists sbinit's options that set a row, as -g or --long.
func optionsFor(name string) []string {
	var names []string
	for i := range options {
		o := &options[i]
		if !o.of.has(Native) || !slices.ContainsFunc(o.set, func(a string) bool { return assigns(a, name) }) {
			continue
		}
		names = append(names, "-"+string(o.short))
	}
	return names
}

func assigns(assignment, name string) bool {
	left, _, _ := strings.Cut(assignment, "=")
	return left == name
}

// meaning lists what the values of a peer's variable set.
func (v *peer) meaning(separator, quotes string) string {
	list := func(assignments []string) string {
		if len(assignments) == 0 {
			return "nothing"
		}
		return quotes + strings.Join(assignments, quotes+" "+quotes) + quotes
	}
	if v.set != nil {
		return list(v.set) + ", whatever its value"
	}
	parts := make([]string, len(v.values))
	for i, known := range v.values {
		parts[i] = quotes + known.value + quotes + ": " + list(known.set)
	}
	return strings.Join(parts, separator)
}

// plain is Markdown without its backticks.
func plain(markdown string) string { return strings.ReplaceAll(markdown, "`", "") }

// wrap writes words in lines of at most width columns.
func wrap(b *strings.Builder, text, indent string) {
	line := indent
	for word := range strings.FieldsSeq(text) {
		if len(line) > len(indent) && len(line)+len(word) > width {
			b.WriteString(strings.TrimRight(line, " ") + "\n")
			line = indent
		}
		line += word + " "
	}
	b.WriteString(strings.TrimRight(line, " ") + "\n")
}
