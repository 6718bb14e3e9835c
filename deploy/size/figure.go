package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// mega is a MB, of which a MiB has 1.05.
const mega = 1e6

var errOverBudget = errors.New("over budget")

// A figure is one thing that was measured.
type figure struct {
	name   string
	value  float64
	budget float64 // 0: none
	unit   string  // what counts has none
}

func (f figure) over() bool { return f.budget > 0 && f.value > f.budget }

// say writes a value as the figure's unit wants it.
func (f figure) say(value float64) string {
	if f.unit == "" {
		return fmt.Sprintf("%.0f", value)
	}
	return fmt.Sprintf("%.3f %s", value, f.unit)
}

func table(out io.Writer, figures []figure) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\tmeasured\tbudget\t")
	for _, f := range figures {
		budget, mark := "", ""
		if f.budget > 0 {
			budget = f.say(f.budget)
		}
		if f.over() {
			mark = "OVER"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", f.name, f.say(f.value), budget, mark)
	}
	return w.Flush()
}

// judge names everything that costs more than it may.
func judge(figures []figure) error {
	var over []string
	for _, f := range figures {
		if f.over() {
			over = append(over, fmt.Sprintf("%s %s of %s", f.name, f.say(f.value), f.say(f.budget)))
		}
	}
	if over == nil {
		return nil
	}
	return fmt.Errorf("%w: %s", errOverBudget, strings.Join(over, ", "))
}
