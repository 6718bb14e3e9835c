package view

import (
	"math"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/sbinit/sbinit/internal/control"
)

func busy() *control.Status {
	return &control.Status{
		Version: "1.2.3", Commit: "abc", Uptime: 90500 * time.Millisecond, Phase: control.Running, Policy: "abandoned",
		Main: control.Program{PID: 7, Name: "runner"},
		Guards: []control.Program{
			{PID: 9, Name: "agent*"}, {PID: 10, Name: "\"quoted\" \\ and\nbroken é"}, {PID: 11, Name: "agent*"},
		},
		Sessions: []control.Session{{PID: 20}, {PID: 21}},
		Orphans:  control.Orphans{Waiting: 1, Tolerated: 2, Kept: 3, Owned: 4, Ending: 5},
		Counts: control.Counts{
			Reaped: math.MaxInt64, Adopted: 11, Terminated: 12, Killed: 13, Failed: 14, SessionsOpened: 15,
			SessionsEnded: []control.Tally{{Name: "exited", N: 16}, {Name: "killed", N: 17}},
		},
		Limits: control.Limits{Sessions: 16, Connections: 32},
	}
}

// parse reads the text by the reference parser, and checks names and help.
func parse(t *testing.T, text string) map[string]*dto.MetricFamily {
	t.Helper()
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	for name, family := range families {
		total := strings.HasSuffix(name, "_total")
		if !strings.HasPrefix(name, "sbinit_") || family.GetHelp() == "" || total != (family.GetType() == dto.MetricType_COUNTER) ||
			!total && family.GetType() != dto.MetricType_GAUGE {
			t.Errorf("%s is a %v: %q", name, family.GetType(), family.GetHelp())
		}
	}
	return families
}

func TestPrometheus(t *testing.T) {
	families := parse(t, prometheus(busy()))
	value := func(name, label string) float64 {
		for _, m := range families["sbinit_"+name].GetMetric() {
			if label == "" || len(m.GetLabel()) > 0 && m.GetLabel()[0].GetValue() == label {
				return m.GetGauge().GetValue() + m.GetCounter().GetValue()
			}
		}
		t.Errorf("there is no %s of %q", name, label)
		return -1
	}
	for _, c := range []struct {
		name, label string
		want        float64
	}{
		{"build_info", "1.2.3", 1}, {"uptime_seconds", "", 90.5}, {"ending", "", 0}, {"orphans", "tolerated", 2},
		{"guards", "agent*", 2}, {"guards", "\"quoted\" \\ and\nbroken é", 1}, {"sessions", "", 2}, {"sessions_limit", "", 16},
		{"reaped_total", "", math.MaxInt64}, {"sessions_ended_total", "killed", 17}, {"failures_total", "", 14},
	} {
		if got := value(c.name, c.label); got != c.want {
			t.Errorf("%s of %q is %v, want %v", c.name, c.label, got, c.want)
		}
	}
	if len(families) != len(metrics())+1 {
		t.Errorf("%d metrics of %d", len(families), len(metrics())+1)
	}
}

// TestPrometheusOfNothing: metrics without a sample are none, and still legal.
func TestPrometheusOfNothing(t *testing.T) {
	parse(t, prometheus(&control.Status{}))
}

// TestMetricsTellAll: each number that an init tells is in a metric.
func TestMetricsTellAll(t *testing.T) {
	if len(metrics()) != 22 {
		t.Errorf("%d metrics", len(metrics()))
	}
	zero := prometheus(&control.Status{})
	for name, set := range map[string]func(*control.Status){
		"Killed": func(s *control.Status) { s.Counts.Killed = 1 }, "Kept": func(s *control.Status) { s.Counts.Kept = 1 },
		"Forwarded": func(s *control.Status) { s.Counts.Forwarded = 1 }, "LogDropped": func(s *control.Status) { s.Counts.LogDropped = 1 },
		"SessionsRefused": func(s *control.Status) { s.Counts.SessionsRefused = 1 },
		"SessionsEscaped": func(s *control.Status) { s.Counts.SessionsEscaped = 1 },
		"ConnectionsShut": func(s *control.Status) { s.Counts.ConnectionsShut = 1 },
		"Statuses":        func(s *control.Status) { s.Counts.StatusesAnswered = 1 }, "Blind": func(s *control.Status) { s.Blind = true },
		"Phase": func(s *control.Status) { s.Phase = control.Ending }, "Kept orphans": func(s *control.Status) { s.Orphans.Kept = 1 },
		"Connections": func(s *control.Status) { s.Limits.Connections = 1 },
	} {
		var s control.Status
		if set(&s); prometheus(&s) == zero {
			t.Errorf("%s is in no metric", name)
		}
	}
}

func TestStatsText(t *testing.T) {
	s := busy()
	s.Version = "\x1b[2J"
	text := statsText(s, 0)
	for _, line := range []string{"version", `\x1b[2J`, "main_pid", "orphans tolerated", `guards "quoted" \\ and\nbroken é`, "killed_total"} {
		if !strings.Contains(text, line) {
			t.Errorf("%q is missing in\n%s", line, text)
		}
	}
}
