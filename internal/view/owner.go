package view

import (
	"github.com/sbinit/sbinit/internal/config"
	"github.com/sbinit/sbinit/internal/guard"
)

// findOwners says of each process who its owner is. The nearest one above it counts; an
// orphan, which has none above it any more, is known by the mark that it inherited.
func (w *World) findOwners() {
	main, marked := w.main(), w.marked()
	for i := range w.Processes {
		p := &w.Processes[i]
		p.Owner = w.ownerOf(p, main, marked)
	}
}

// marked are the owners that pass a mark on.
func (w *World) marked() map[uint64]Owner {
	owners := map[uint64]Owner{}
	for i := range w.Processes {
		p := &w.Processes[i]
		if owner, ok := w.owns(p); ok && p.Mark != 0 {
			owners[p.Mark] = owner
		}
	}
	return owners
}

// owns says whether a process is an owner: a session's worker, a guard that the init
// says, or the keeper of a guard's pair.
func (w *World) owns(p *Process) (Owner, bool) {
	switch {
	case p.Role == Worker || w.session(p.PID) != nil:
		return Owner{Kind: OwnerSession, PID: p.PID}, true
	case p.Role == Keeper:
		return w.pair(p), true
	}
	if w.Status != nil {
		for _, g := range w.Status.Guards {
			if g.PID == p.PID {
				return Owner{OwnerGuard, g.PID, g.Name}, true
			}
		}
	}
	return Owner{}, false
}

// pair is the guard of which a process is the keeper: known by its front's number, and
// by the name of the daemon.
func (w *World) pair(keeper *Process) Owner {
	owner := Owner{Kind: OwnerGuard, PID: keeper.PID}
	if front := w.parent(keeper); front != nil && front.Role == Front {
		owner.PID = front.PID
	}
	_, _, args := guard.InnerArgs(keeper.Args)
	if in, _, err := config.Parse(config.Input{Args: args}); err == nil && len(in.Argv) > 0 {
		owner.Name = program(in.Argv[0])
	}
	return owner
}

// ownerOf climbs from a process until the answer is known. A chain is as long as there
// are processes, at most.
func (w *World) ownerOf(p *Process, main int, marked map[uint64]Owner) Owner {
	if p.PID == 1 {
		return Owner{Kind: OwnerInit}
	}
	inner := p.Role == Keeper || p.Role == Worker || w.session(p.PID) != nil
	if inner && !w.adopted(p, main) {
		return Owner{Kind: OwnerSbinit}
	}
	at := p
	for range w.Processes {
		above := w.parent(at)
		switch {
		case at.PPID == 0:
			return Owner{Kind: OwnerExec}
		case above == nil:
			return Owner{Kind: OwnerUnknown}
		case above.PID == 1:
			return w.ownerBelowInit(p, at, main, marked)
		}
		if owner, ok := w.owns(above); ok {
			return owner
		}
		at = above
	}
	return Owner{Kind: OwnerUnknown}
}

// ownerBelowInit is that of a process with none on its way up to PID 1, whose child top
// is the last of the way.
func (w *World) ownerBelowInit(p, top *Process, main int, marked map[uint64]Owner) Owner {
	if top.PID == main {
		return Owner{Kind: OwnerMain}
	}
	for _, one := range []*Process{p, top} {
		if owner, ok := marked[one.Mark]; ok && owner.PID != p.PID {
			return owner
		}
	}
	return Owner{Kind: OwnerOrphan}
}

// text is an owner for people.
func (o Owner) text() string {
	text := string(o.Kind)
	if o.Name != "" {
		text += " " + Escaped(o.Name)
	}
	if o.PID != 0 {
		text += " " + number(o.PID)
	}
	return text
}
