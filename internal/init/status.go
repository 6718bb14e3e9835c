package pid1

import (
	"time"

	"github.com/sbinit/sbinit/internal/control"
	"github.com/sbinit/sbinit/internal/terminal/wire"
)

// statusLine is what the control socket answers: one line.
func (c *container) statusLine() []byte {
	now := time.Now()
	s := control.Status{
		Version: c.version, Commit: c.commit, Uptime: now.Sub(c.began), Phase: control.Running,
		Policy: c.cfg.Orphans.String(), Blind: c.blind || c.ledger == nil && c.tracksOrphans(),
		Main:   control.Program{PID: c.main.pid, Name: c.main.name},
		Counts: c.countsNow(),
		Limits: control.Limits{Sessions: c.cfg.Terminal.Sessions, Connections: c.socket.most},
	}
	if c.lingering {
		s.Phase = control.Lingering
	}
	for pid, one := range c.sessions {
		s.Sessions = append(s.Sessions, control.Session{
			PID: pid, CallerPID: int(one.cred.Pid), CallerUID: int(one.cred.Uid), Age: now.Sub(one.began),
		})
	}
	if c.ledger != nil {
		s.Guards, s.Orphans = c.ledger.guards(), c.ledger.stages()
	}
	return s.Append(nil)
}

func (c *container) countsNow() control.Counts {
	n, o := &c.counts, &c.outcomes
	all := control.Counts{
		Reaped: n.reaped, Adopted: n.adopted, Terminated: n.terminated, Killed: n.killed, Kept: n.kept,
		Failed: n.failed, Forwarded: n.forwarded, LogDropped: c.log.Dropped(),
		SessionsOpened: o.opened, SessionsRefused: o.refused, SessionsEscaped: o.escaped,
		ConnectionsShut: n.shut, StatusesAnswered: n.answered,
	}
	for _, reason := range wire.Reasons() {
		all.SessionsEnded = append(all.SessionsEnded, control.Tally{Name: string(reason), N: o.reasons[reason]})
	}
	all.SessionsEnded = append(all.SessionsEnded, control.Tally{Name: killed, N: o.killed})
	return all
}

// guards lists the living guards.
func (l *ledger) guards() (list []control.Program) {
	if l.kin == nil {
		return nil
	}
	for _, k := range l.kin.living() {
		if k.entry >= 0 && k.entry != ofSession {
			list = append(list, control.Program{PID: k.PID, Name: l.cfg.Guard[k.entry]})
		}
	}
	return list
}

// stages counts the orphans by what becomes of them.
func (l *ledger) stages() (n control.Orphans) {
	for _, o := range l.orphans {
		switch o.stage {
		case waiting, judged:
			n.Waiting++
		case tolerated:
			n.Tolerated++
		case keptForGood:
			n.Kept++
		case owned:
			n.Owned++
		case bereft:
			n.Ending++
		}
	}
	for _, e := range l.endings {
		n.Ending += len(e.line.members)
	}
	return n
}
