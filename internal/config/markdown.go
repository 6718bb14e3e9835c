package config

import (
	"fmt"
	"strings"
)

// EnvMarkdown is README's table of settings.
func EnvMarkdown() string {
	var b strings.Builder
	b.WriteString("| variable | option | default | values | meaning |\n|---|---|---|---|---|\n")
	for i := range settings {
		s := &settings[i]
		standard, help := s.documented()
		if value, ok := strings.CutPrefix(standard, "="); ok {
			standard = code(value)
		} else {
			standard = "see meaning"
		}
		option := ""
		if names := optionsFor(s.name); len(names) > 0 {
			option = code(names...)
		}
		row(&b, code(s.name), option, standard, s.values, help)
	}
	return b.String()
}

// OptionsMarkdown is a table of the options that sbinit takes by its own name.
func OptionsMarkdown() string {
	var b strings.Builder
	b.WriteString("| option | sets | known from | meaning |\n|---|---|---|---|\n")
	for i := range options {
		o := &options[i]
		if !o.of.has(Native) {
			continue
		}
		sets := ""
		if len(o.set) > 0 {
			sets = code(o.set...)
		}
		row(&b, code(o.String()), sets, o.knownFrom(), o.help)
	}
	return b.String()
}

// knownFrom lists the programs that have an option of these letters.
func (o *option) knownFrom() string {
	var names []string
	for _, p := range []Personality{Tini, DumbInit, Catatonit} {
		for i := range options {
			other := &options[i]
			if other.of.has(p) && (other.short != 0 && other.short == o.short || other.long != "" && other.long == o.long) {
				names = append(names, p.String())
				break
			}
		}
	}
	return strings.Join(names, ", ")
}

// NamesMarkdown is a table of the names that sbinit answers to, and of the
// variables that come with them.
func NamesMarkdown() string {
	var b strings.Builder
	b.WriteString("| called | its defaults | variables read, also by sbinit's own name | exit status without a main program |\n|---|---|---|---|\n")
	for _, p := range []Personality{Tini, DumbInit, Catatonit} {
		var variables []string
		for i := range peers {
			if v := &peers[i]; v.of == p {
				variables = append(variables, code(v.name)+" ("+v.meaning(", ", "`")+")")
			}
		}
		row(&b, code(personalities[p].names...), code(personalities[p].defaults...), strings.Join(variables, "; "), p.exitStatuses())
	}
	return b.String()
}

func (p Personality) exitStatuses() string {
	r := personalities[p].refusals
	return fmt.Sprintf("%d not found, %d cannot be run, %d other reasons", r.notFound, r.cannotRun, r.own)
}

func row(b *strings.Builder, cells ...string) {
	for _, cell := range cells {
		if cell != "" {
			cell = " " + cell
		}
		b.WriteString("|" + cell + " ")
	}
	b.WriteString("|\n")
}
