package wiretest

import (
	"strings"
	"testing"
)

var run = []string{
	`{"type":"ready","pid":4711}`,
	`{"type":"data","offset":0,"data":"YWI="}`,
	`{"type":"accepted","offset":6}`,
	`{"type":"data","offset":2,"data":"Yw=="}`,
	`{"type":"exited","exit_code":3}`,
	`{"type":"end","contained":true,"duration_ms":57}`,
}

func example() Example {
	e := Example{Varies: []string{"ready.pid", "end.duration_ms"}}
	for _, line := range run {
		e.Steps = append(e.Steps, Step{Line: line})
	}
	return e
}

func TestSame(t *testing.T) {
	other := []string{
		`{"type":"ready","pid":4712}`,
		`{"type":"accepted","offset":2}`,
		`{"type":"data","offset":0,"data":"YWJj"}`,
		`{"type":"exited","exit_code":3}`,
		`{"type":"accepted","offset":6}`,
		`{"type":"end","contained":true,"duration_ms":100}`,
	}
	for _, lines := range [][]string{run, other} {
		if diff, err := example().Diff(lines); diff != "" || err != nil {
			t.Errorf("%s: %v, %s", lines, err, diff)
		}
	}
}

func TestDifferent(t *testing.T) {
	for _, change := range [][2]string{
		{`"data":"Yw=="`, `"data":"YQ=="`},
		{`"exit_code":3`, `"exit_code":2`},
		{`"contained":true`, `"contained":false`},
		{`"type":"accepted","offset":6`, `"type":"accepted","offset":5`},
	} {
		lines := strings.Split(strings.Replace(strings.Join(run, "\n"), change[0], change[1], 1), "\n")
		if diff, err := example().Diff(lines); diff == "" || err != nil {
			t.Errorf("%s: %v, %q", change, err, diff)
		}
	}
}

func TestOutOfOrder(t *testing.T) {
	for name, lines := range map[string][]string{
		"no end":             run[:5],
		"no ready":           run[1:],
		"a line after end":   append(run[:6:6], run[2]),
		"two ready":          append(run[:1:1], run...),
		"a gap in the data":  {run[0], run[3], run[5]},
		"accepted goes back": {run[0], run[2], run[2], run[5]},
		"no JSON":            {run[0], "x", run[5]},
	} {
		if diff, err := example().Diff(lines); err == nil {
			t.Errorf("%s: no error, %q", name, diff)
		}
	}
}
