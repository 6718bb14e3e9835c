package view

import "github.com/sbinit/sbinit/internal/jsonline"

// matching are the orphans of the names asked for.
func (w *World) matching(globs []string) (list []*Process) {
	for _, p := range w.orphans() {
		if len(globs) == 0 || p.Names.Match(globs) {
			list = append(list, p)
		}
	}
	return list
}

func orphanTable(list []*Process, terminal int) string {
	t := newTable(" PID", "OWNER", " AGE", " RSS", "COMMAND")
	for _, p := range list {
		t.add(number(p.PID), p.Owner.text(), age(p.Age), memory(p.RSS), p.command())
	}
	return t.text(terminal)
}

func orphanJSON(list []*Process) string {
	b := jsonline.AppendInteger([]byte("{"), "count", int64(len(list)))
	b = append(jsonline.AppendKey(b, "orphans"), '[')
	for _, p := range list {
		b = append(p.append(append(jsonline.AppendComma(b), '{')), '}')
	}
	return string(append(b, "]}\n"...))
}
