package view

import (
	"strings"

	"github.com/sbinit/sbinit/internal/control"
)

// statsText is a status for people.
func statsText(s *control.Status, terminal int) string {
	t := newTable("WHAT", "VALUE")
	t.add("version", Escaped(s.Version))
	t.add("commit", Escaped(s.Commit))
	t.add("phase", Escaped(string(s.Phase)))
	t.add("policy", Escaped(s.Policy))
	t.add("main_pid", number(s.Main.PID))
	for _, m := range metrics() {
		for _, one := range m.sample(s) {
			name := m.name
			if one.label != "" {
				name += " " + Escaped(one.is)
			}
			t.add(name, one.value)
		}
	}
	return t.text(terminal)
}

// prometheus is a status in the text exposition format 0.0.4
// (https://prometheus.io/docs/instrumenting/exposition_formats).
func prometheus(s *control.Status) string {
	var b strings.Builder
	head(&b, "build_info", gauge, "Always 1; its labels say what runs, and under which SBINIT_ORPHANS")
	b.WriteString("sbinit_build_info{version=" + label(s.Version) + ",commit=" + label(s.Commit) + ",orphans=" + label(s.Policy) + "} 1\n")
	for _, m := range metrics() {
		head(&b, m.name, m.kind, m.help)
		for _, one := range m.sample(s) {
			b.WriteString("sbinit_" + m.name)
			if one.label != "" {
				b.WriteString("{" + one.label + "=" + label(one.is) + "}")
			}
			b.WriteString(" " + one.value + "\n")
		}
	}
	return b.String()
}

func head(b *strings.Builder, name, kind, help string) {
	b.WriteString("# HELP sbinit_" + name + " " + help + ".\n# TYPE sbinit_" + name + " " + kind + "\n")
}

// label quotes a label's value, which may be any UTF-8; a decoded status has nothing else.
func label(value string) string {
	out := []byte{'"'}
	for _, c := range []byte(value) {
		switch c {
		case '\\', '"':
			out = append(out, '\\', c)
		case '\n':
			out = append(out, `\n`...)
		default:
			out = append(out, c)
		}
	}
	return string(append(out, '"'))
}
