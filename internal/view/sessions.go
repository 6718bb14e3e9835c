package view

import (
	"github.com/sbinit/sbinit/internal/control"
	"github.com/sbinit/sbinit/internal/jsonline"
)

// A load is what belongs to one session.
type load struct {
	processes int
	rss       int64
	leader    *Process // the program that it was opened for; nil: not seen, or ended
}

// loadOf counts a session's processes, without its worker.
func (w *World) loadOf(s control.Session) (l load) {
	for i := range w.Processes {
		p := &w.Processes[i]
		if p.Owner != (Owner{Kind: OwnerSession, PID: s.PID}) || !p.Alive() {
			continue
		}
		l.processes++
		l.rss += p.RSS
		if p.PPID == s.PID && (l.leader == nil || p.Start < l.leader.Start) {
			l.leader = p
		}
	}
	return l
}

func (w *World) sessionTable(terminal int) string {
	t := newTable(" WORKER", " CALLER", " UID", " AGE", " PROCESSES", " RSS", "COMMAND")
	for _, s := range w.Status.Sessions {
		l, command := w.loadOf(s), ""
		if l.leader != nil {
			command = l.leader.command()
		}
		t.add(number(s.PID), number(s.CallerPID), number(s.CallerUID), age(s.Age), number(l.processes), memory(l.rss), command)
	}
	return t.text(terminal)
}

func (w *World) sessionJSON() string {
	b := append([]byte("{"), `"sessions":[`...)
	for _, s := range w.Status.Sessions {
		l := w.loadOf(s)
		b = append(jsonline.AppendComma(b), '{')
		b = jsonline.AppendInteger(b, "worker", int64(s.PID))
		b = jsonline.AppendInteger(b, "caller_pid", int64(s.CallerPID))
		b = jsonline.AppendInteger(b, "caller_uid", int64(s.CallerUID))
		b = jsonline.AppendInteger(b, "age_ms", s.Age.Milliseconds())
		b = jsonline.AppendInteger(b, "processes", int64(l.processes))
		b = jsonline.AppendInteger(b, "rss_bytes", l.rss)
		if l.leader != nil {
			b = append(l.leader.append(append(jsonline.AppendKey(b, "leader"), '{')), '}')
		}
		b = append(b, '}')
	}
	return string(append(b, "]}\n"...))
}
