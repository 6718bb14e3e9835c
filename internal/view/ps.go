package view

import (
	"strings"

	"github.com/sbinit/sbinit/internal/jsonline"
)

// deepest is how far a tree is indented: what is below stands as far in as that.
const deepest = 24

// ps is the tree of all processes.
func (w *World) ps(pss bool, terminal int) string {
	names := []string{" PID", "OWNER", "STATE", " AGE", " RSS"}
	if pss {
		names = append(names, " PSS")
	}
	t := newTable(append(names, "COMMAND")...)
	w.walk(func(p *Process, depth int) {
		cells := []string{number(p.PID), p.Owner.text(), string(p.State), age(p.Age), memory(p.RSS)}
		if pss {
			cells = append(cells, memory(p.PSS))
		}
		t.add(append(cells, strings.Repeat("  ", min(depth, deepest))+p.command()+w.waitsFor(p))...)
	})
	return t.text(terminal)
}

// walk calls fn for each process, parents before their children.
func (w *World) walk(fn func(p *Process, depth int)) {
	children := map[int][]*Process{}
	var roots []*Process
	for i := range w.Processes {
		p := &w.Processes[i]
		if parent := w.parent(p); parent != nil {
			children[parent.PID] = append(children[parent.PID], p)
			continue
		}
		roots = append(roots, p)
	}
	type step struct {
		p     *Process
		depth int
	}
	var ahead []step
	push := func(list []*Process, depth int) {
		for i := len(list) - 1; i >= 0; i-- {
			ahead = append(ahead, step{list[i], depth})
		}
	}
	for push(roots, 0); len(ahead) > 0; {
		next := ahead[len(ahead)-1]
		ahead = ahead[:len(ahead)-1]
		fn(next.p, next.depth)
		push(children[next.p.PID], next.depth+1)
	}
}

// waitsFor says of a zombie who has to take its exit status.
func (w *World) waitsFor(p *Process) string {
	if p.Alive() {
		return ""
	}
	text := " zombie: " + number(p.PPID)
	if parent := w.parent(p); parent != nil {
		text += " (" + parent.name() + ")"
	}
	return text + " has not waited for it"
}

// json is all that is known of the processes.
func (w *World) json() string {
	b := append([]byte("{"), `"processes":[`...)
	for i := range w.Processes {
		p := &w.Processes[i]
		b = p.append(append(jsonline.AppendComma(b), '{'))
		if !p.Alive() {
			b = jsonline.AppendInteger(b, "waits_for", int64(p.PPID))
		}
		b = append(b, '}')
	}
	b = jsonline.AppendBool(append(b, ']'), "others_hidden", w.Hidden)
	b = jsonline.AppendBool(b, "socket", w.Status != nil)
	return string(append(b, "}\n"...))
}

// append appends the fields of one.
func (p *Process) append(b []byte) []byte {
	b = jsonline.AppendInteger(b, "pid", int64(p.PID))
	b = jsonline.AppendInteger(b, "ppid", int64(p.PPID))
	b = jsonline.AppendInteger(b, "uid", int64(p.UID))
	b = append(p.Owner.append(append(jsonline.AppendKey(b, "owner"), '{')), '}')
	b = jsonline.AppendText(b, "state", string(p.State))
	b = jsonline.AppendBool(b, "zombie", !p.Alive())
	b = jsonline.AppendInteger(b, "age_ms", p.Age.Milliseconds())
	b = jsonline.AppendInteger(b, "rss_bytes", p.RSS)
	if p.PSS >= 0 {
		b = jsonline.AppendInteger(b, "pss_bytes", p.PSS)
	}
	b = jsonline.AppendText(b, "name", p.Names.String())
	b = append(jsonline.AppendKey(b, "command"), '[')
	for _, arg := range p.Args {
		b = jsonline.AppendQuoted(jsonline.AppendComma(b), arg)
	}
	return append(b, ']')
}

func (o Owner) append(b []byte) []byte {
	b = jsonline.AppendText(b, "kind", string(o.Kind))
	if o.PID != 0 {
		b = jsonline.AppendInteger(b, "pid", int64(o.PID))
	}
	if o.Name != "" {
		b = jsonline.AppendText(b, "name", o.Name)
	}
	return b
}
