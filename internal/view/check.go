package view

import (
	"errors"

	"golang.org/x/sys/unix"
)

// A bounds is what `check` allows; negative is any number.
type bounds struct{ orphans, zombies int }

// unhealthy lists what is wrong; nothing: healthy.
func (w *World) unhealthy(most bounds) (reasons []string) {
	say := func(reason string) { reasons = append(reasons, reason) }
	switch {
	case !w.Ours && w.Unsure != nil:
		say("whether PID 1 (" + w.initName() + ") is an sbinit cannot be told: " + w.unasked() + "; " + w.Unsure.Error())
	case !w.Ours:
		say("PID 1 is no sbinit: " + w.initName())
	case w.Silent != nil:
		say("the init does not answer: " + Escaped(w.Silent.Error()))
	}
	if s := w.Status; s != nil {
		if s.Counts.Failed > 0 {
			say(plural(int(s.Counts.Failed), "ending") + " left somebody, or a feature failed, since the start: see the init's log")
		}
		if s.Counts.SessionsEscaped > 0 {
			say(plural(int(s.Counts.SessionsEscaped), "terminal session") + " left something that could not be ended")
		}
	}
	if n := len(w.orphans()); most.orphans >= 0 && n > most.orphans {
		say(plural(n, "orphan") + ", allowed are " + number(most.orphans))
	}
	if n := len(w.zombies()); most.zombies >= 0 && n > most.zombies {
		say(plural(n, "zombie") + ", allowed are " + number(most.zombies))
	}
	if w.Hidden && (most.orphans >= 0 || most.zombies >= 0) {
		say("processes of other users are hidden (hidepid), so that orphans and zombies cannot be counted")
	}
	return reasons
}

// initName is PID 1's name.
func (w *World) initName() string {
	if first := w.get(1); first != nil {
		return first.name()
	}
	return "it is hidden from us"
}

// health is what a healthy container is, in a line.
func (w *World) health() string {
	text := "healthy: " + plural(len(w.orphans()), "orphan") + ", " + plural(len(w.zombies()), "zombie")
	if w.Status == nil {
		text += "; told by /proc alone: " + w.unasked()
	}
	return text
}

// unasked says why the init was not asked.
func (w *World) unasked() string {
	if w.NoSocket == nil {
		return "SBINIT_SOCKET is off"
	}
	text := Escaped(w.NoSocket.Error()) + " (SBINIT_SOCKET)"
	if errors.Is(w.NoSocket, unix.EACCES) {
		text += ", it is for root and the init's user"
	}
	if !w.Ours && w.Unsure == nil {
		text += ", and PID 1 is no sbinit: " + w.initName()
	}
	return text
}
