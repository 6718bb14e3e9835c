package view

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/config"
	"github.com/sbinit/sbinit/internal/control"
)

// two has two orphans and a zombie.
func two(s *control.Status) *World {
	return world(s, fake{pid: 1, args: "sbinit"}, fake{pid: 7, ppid: 1, args: "main"}, fake{pid: 8, ppid: 1, args: "a"},
		fake{pid: 9, ppid: 1, args: "b"}, fake{pid: 10, ppid: 7, state: 'Z'})
}

func TestCheck(t *testing.T) {
	status := func(change func(*control.Status)) *control.Status {
		s := &control.Status{Main: control.Program{PID: 7}}
		change(s)
		return s
	}
	fine := status(func(*control.Status) {})
	for name, c := range map[string]struct {
		w    *World
		view config.View
		want string
	}{
		"healthy":        {two(fine), config.View{Max: -1, MaxZombies: -1}, "healthy: 2 orphans, 1 zombie\n"},
		"at the bounds":  {two(fine), config.View{Max: 2, MaxZombies: 1}, "healthy: 2 orphans, 1 zombie\n"},
		"orphans":        {two(fine), config.View{Max: 1, MaxZombies: -1}, "unhealthy: 2 orphans, allowed are 1\n"},
		"both":           {two(fine), config.View{}, "unhealthy: 2 orphans, allowed are 0\nunhealthy: 1 zombie, allowed are 0\n"},
		"without socket": {two(nil), config.View{Max: 2, MaxZombies: -1}, "told by /proc alone"},
		"failed": {two(status(func(s *control.Status) { s.Counts.Failed = 1 })), config.View{Max: -1, MaxZombies: -1},
			"unhealthy: 1 ending left somebody"},
		"escaped": {two(status(func(s *control.Status) { s.Counts.SessionsEscaped = 2 })), config.View{Max: -1, MaxZombies: -1},
			"unhealthy: 2 terminal sessions left something"},
		"silent":              {silent(two(nil)), config.View{Max: -1, MaxZombies: -1}, `unhealthy: the init does not answer: late\x1b`},
		"denied":              {unheard(two(nil), unix.EACCES), config.View{Max: -1, MaxZombies: -1}, "healthy: 2 orphans, 1 zombie; told by /proc alone: /s: connect: permission denied (SBINIT_SOCKET), it is for root and the init's user\n"},
		"unsure":              {unsure(two(nil)), config.View{Max: -1, MaxZombies: -1}, "unhealthy: whether PID 1 (sbinit) is an sbinit cannot be told: /s: connect: permission denied"},
		"other":               {other(two(nil)), config.View{Max: -1, MaxZombies: -1}, "unhealthy: PID 1 is no sbinit: sbinit\n"},
		"hidden":              {hiding(two(fine)), config.View{Max: 9, MaxZombies: -1}, "unhealthy: processes of other users are hidden"},
		"hidden, nobody asks": {hiding(two(fine)), config.View{Max: -1, MaxZombies: -1}, "healthy"},
	} {
		r := c.w.viewCheck(Setup{View: c.view})
		healthy := strings.HasPrefix(c.want, "healthy") || strings.HasPrefix(c.want, "told")
		if !strings.Contains(r.Out, c.want) || (r.Status == 0) != healthy || r.Status > 1 {
			t.Errorf("%s: status %d, %q, want %q", name, r.Status, r.Out, c.want)
		}
	}
}

func silent(w *World) *World { w.Silent = errors.New("late\x1b"); return w }
func other(w *World) *World  { w.Ours = false; return w }
func unheard(w *World, err error) *World {
	w.NoSocket = fmt.Errorf("/s: %w", os.NewSyscallError("connect", err))
	return w
}
func unsure(w *World) *World {
	w = other(unheard(w, unix.EACCES))
	w.Unsure = unix.EACCES
	return w
}
func hiding(w *World) *World { w.Hidden = true; return w }

// TestNothingIsMadeUp: what cannot be told is refused, not called none.
func TestNothingIsMadeUp(t *testing.T) {
	if _, err := hiding(two(nil)).viewOrphans(Setup{}); err == nil {
		t.Error("hidden orphans are counted")
	}
	for _, command := range []config.Command{config.CommandSessions, config.CommandStats} {
		for text, w := range map[string]*World{
			"SBINIT_SOCKET is off":           two(nil),
			"/s: connect: no such file":      unheard(two(nil), unix.ENOENT),
			"it is for root":                 unheard(two(nil), unix.EACCES),
			"and PID 1 is no sbinit: sbinit": other(unheard(two(nil), unix.ENOENT)),
		} {
			if _, err := w.viewStatus(Setup{Command: command}); err == nil || !strings.HasPrefix(err.Error(), "the init cannot be asked: ") ||
				!strings.Contains(err.Error(), text) {
				t.Errorf("%v, want %s", err, text)
			}
		}
		if _, err := silent(two(nil)).viewStatus(Setup{Command: command}); err == nil || err.Error() != "late\x1b" {
			t.Errorf("a silent init: %v", err)
		}
	}
	w := other(world(nil, fake{pid: 1, args: "node"}, fake{pid: 2, ppid: 1, args: "x"}, fake{pid: 3, ppid: 1, args: "y"}))
	r, err := w.viewOrphans(Setup{View: config.View{Count: true, Max: 0}})
	if ps := w.viewProcesses(Setup{}); len(ps.Notes) != 1 || ps.Notes[0] != r.Notes[0] {
		t.Errorf("ps notes %q, orphans %q", ps.Notes, r.Notes)
	}
	if err != nil || r.Out != "1\n" || r.Status != 1 || len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "PID 1 (node) may have") {
		t.Errorf("%+v, %v", r, err)
	}
}
