package view

// A bounds is what `check` allows; negative is any number.
type bounds struct{ orphans, zombies int }

// unhealthy lists what is wrong; nothing: healthy.
func (w *World) unhealthy(most bounds) (reasons []string) {
	say := func(reason string) { reasons = append(reasons, reason) }
	switch {
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
		text += "; told by /proc alone: the init has no socket here"
	}
	return text
}
