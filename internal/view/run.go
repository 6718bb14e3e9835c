package view

import (
	"errors"
	"strings"
	"time"

	"github.com/sbinit/sbinit/internal/config"
)

// Exit statuses of the views.
const (
	fine    = 0
	tooMany = 1   // more than a bound allows, or unhealthy
	failed  = 125 // it cannot be told
)

// CheckLimit is how long `sbinit check` may take. Whoever has it run has limits too.
const CheckLimit = 5 * time.Second

// A Setup is what a view is asked for.
type Setup struct {
	Command config.Command
	View    config.View
	Socket  string // empty: the init has none
	Columns int    // how wide a line may be; 0: any number
}

// A Result is what a view has to say.
type Result struct {
	Out    string // for standard output
	Notes  []string
	Status int // exit status
}

// Run makes a view. The error, if any, is why there is none.
func Run(s Setup) (Result, error) {
	w, err := Collect(Wanted{Socket: s.Socket, PSS: s.View.PSS})
	if err != nil {
		return Result{Status: failed}, err
	}
	switch s.Command {
	case config.CommandOrphans:
		return w.viewOrphans(s)
	case config.CommandSessions, config.CommandStats:
		return w.viewStatus(s)
	case config.CommandCheck:
		return w.viewCheck(s), nil
	}
	return w.viewProcesses(s), nil
}

func (w *World) viewProcesses(s Setup) Result {
	r := Result{Notes: w.notes()}
	if r.Out = w.ps(s.View.PSS, s.Columns); s.View.JSON {
		r.Out = w.json()
	}
	return r
}

// viewOrphans refuses to count who is hidden: that would be a number that is too low.
func (w *World) viewOrphans(s Setup) (Result, error) {
	if w.Hidden {
		return Result{Status: failed}, errHidden
	}
	list := w.matching(s.View.Match)
	r := Result{Notes: w.notes()}
	switch {
	case s.View.JSON:
		r.Out = orphanJSON(list)
	case s.View.Count:
		r.Out = number(len(list)) + "\n"
	default:
		r.Out = orphanTable(list, s.Columns)
	}
	if s.View.Max >= 0 && len(list) > s.View.Max {
		r.Status = tooMany
	}
	return r, nil
}

// viewStatus needs the init's own word.
func (w *World) viewStatus(s Setup) (Result, error) {
	switch {
	case w.Silent != nil:
		return Result{Status: failed}, w.Silent
	case w.Status == nil:
		return Result{Status: failed}, errors.New("the init cannot be asked: " + w.unasked())
	}
	var r Result
	switch {
	case s.Command == config.CommandSessions && s.View.JSON:
		r.Out = w.sessionJSON()
	case s.Command == config.CommandSessions:
		r.Out = w.sessionTable(s.Columns)
	case s.View.Prometheus:
		r.Out = prometheus(w.Status)
	case s.View.JSON:
		r.Out = string(w.Status.Append(nil))
	default:
		r.Out = statsText(w.Status, s.Columns)
	}
	return r, nil
}

func (w *World) viewCheck(s Setup) Result {
	reasons := w.unhealthy(bounds{orphans: s.View.Max, zombies: s.View.MaxZombies})
	if len(reasons) == 0 {
		return Result{Out: w.health() + "\n"}
	}
	return Result{Out: "unhealthy: " + strings.Join(reasons, "\nunhealthy: ") + "\n", Status: tooMany}
}

// notes are what a reader of the processes should know.
func (w *World) notes() (list []string) {
	if w.Hidden {
		list = append(list, "processes of other users are hidden (hidepid)")
	}
	if w.Silent != nil {
		list = append(list, "the init does not answer, so this is from /proc alone: "+Escaped(w.Silent.Error()))
	}
	if !w.isInit() && len(w.orphans()) > 0 {
		list = append(list, "PID 1 ("+w.initName()+") may have started some of the orphans itself: it is none of "+strings.Join(inits, ", "))
	}
	return list
}
