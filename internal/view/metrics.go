package view

import (
	"strconv"
	"time"

	"github.com/sbinit/sbinit/internal/control"
)

// A metric is one thing that an init tells, as people and Prometheus see it.
type metric struct {
	name   string // without the prefix sbinit_
	kind   string
	help   string // a sentence without its full stop
	sample func(*control.Status) []sample
}

// A sample is one value of a metric; a label tells it from others.
type sample struct {
	label, is string
	value     string
}

const (
	counter = "counter"
	gauge   = "gauge"
)

// metrics is the one table of what is told. Counters are since the init's start. It is
// made when it is asked for: the init is the same program, and has no use for it.
func metrics() []metric {
	return []metric{
		{"uptime_seconds", gauge, "Time since the init's start", seconds(func(s *control.Status) time.Duration { return s.Uptime })},
		{"ending", gauge, "1 once the main program has ended and the rest is being ended", truth(func(s *control.Status) bool { return s.Phase == control.Ending })},
		{"blind", gauge, "1 if the init cannot see orphans here", truth(func(s *control.Status) bool { return s.Blind })},
		{"orphans", gauge, "Live processes that the init adopted, by what becomes of them", orphansByFate},
		{"guards", gauge, "Living guards, by their entry of SBINIT_GUARD", guardsByName},
		{"sessions", gauge, "Open terminal sessions", size(func(s *control.Status) int { return len(s.Sessions) })},
		{"sessions_limit", gauge, "SBINIT_TERMINAL_SESSIONS", size(func(s *control.Status) int { return s.Limits.Sessions })},
		{"connections_limit", gauge, "Callers at once that have not said yet what they want", size(func(s *control.Status) int { return s.Limits.Connections })},
		{"reaped_total", counter, "Exit statuses taken, of the init's own children and of adopted ones", count(func(c *control.Counts) uint64 { return c.Reaped })},
		{"orphans_adopted_total", counter, "Live processes adopted", count(func(c *control.Counts) uint64 { return c.Adopted })},
		{"orphans_kept_total", counter, "Orphans that are kept for good", count(func(c *control.Counts) uint64 { return c.Kept })},
		{"terminations_total", counter, "Endings begun, each of an orphan, or of what a guard or a session left", count(func(c *control.Counts) uint64 { return c.Terminated })},
		{"killed_total", counter, "Processes that needed SIGKILL", count(func(c *control.Counts) uint64 { return c.Killed })},
		{"failures_total", counter, "Endings that left somebody, and faults that turned a feature off", count(func(c *control.Counts) uint64 { return c.Failed })},
		{"signals_forwarded_total", counter, "Signals passed on to the main program", count(func(c *control.Counts) uint64 { return c.Forwarded })},
		{"log_lines_dropped_total", counter, "Log lines that nobody took in time", count(func(c *control.Counts) uint64 { return c.LogDropped })},
		{"sessions_opened_total", counter, "Terminal sessions opened", count(func(c *control.Counts) uint64 { return c.SessionsOpened })},
		{"sessions_refused_total", counter, "Terminal sessions refused", count(func(c *control.Counts) uint64 { return c.SessionsRefused })},
		{"sessions_ended_total", counter, "Terminal sessions ended, by reason", sessionsByReason},
		{"sessions_escaped_total", counter, "Terminal sessions of which something could not be ended", count(func(c *control.Counts) uint64 { return c.SessionsEscaped })},
		{"connections_shut_total", counter, "Callers at the socket shut out: late, too many, or another user's", count(func(c *control.Counts) uint64 { return c.ConnectionsShut })},
		{"statuses_answered_total", counter, "Requests for this status answered", count(func(c *control.Counts) uint64 { return c.StatusesAnswered })},
	}
}

func plain(value string) []sample { return []sample{{value: value}} }

func seconds(of func(*control.Status) time.Duration) func(*control.Status) []sample {
	return func(s *control.Status) []sample {
		return plain(strconv.FormatFloat(of(s).Seconds(), 'f', 3, 64))
	}
}

func truth(of func(*control.Status) bool) func(*control.Status) []sample {
	return func(s *control.Status) []sample {
		if of(s) {
			return plain("1")
		}
		return plain("0")
	}
}

func size(of func(*control.Status) int) func(*control.Status) []sample {
	return func(s *control.Status) []sample { return plain(number(of(s))) }
}

func count(of func(*control.Counts) uint64) func(*control.Status) []sample {
	return func(s *control.Status) []sample { return plain(strconv.FormatUint(of(&s.Counts), 10)) }
}

func orphansByFate(s *control.Status) (list []sample) {
	for _, f := range []struct {
		name string
		n    int
	}{
		{"waiting", s.Orphans.Waiting}, {"tolerated", s.Orphans.Tolerated}, {"kept", s.Orphans.Kept},
		{"owned", s.Orphans.Owned}, {"ending", s.Orphans.Ending},
	} {
		list = append(list, sample{"fate", f.name, number(f.n)})
	}
	return list
}

// guardsByName counts the guards of each entry, in the order of their first.
func guardsByName(s *control.Status) (list []sample) {
	counts := map[string]int{}
	for _, g := range s.Guards {
		counts[g.Name]++
	}
	for _, g := range s.Guards {
		if n := counts[g.Name]; n > 0 {
			list = append(list, sample{"guard", g.Name, number(n)})
			counts[g.Name] = 0
		}
	}
	return list
}

func sessionsByReason(s *control.Status) (list []sample) {
	for _, t := range s.Counts.SessionsEnded {
		list = append(list, sample{"reason", t.Name, strconv.FormatUint(t.N, 10)})
	}
	return list
}
