package config

import (
	"strconv"
	"strings"
)

// Fault is one wrong option or variable. sbinit does not start with one.
type Fault struct {
	Name  string // the option or variable, or what is missing
	Value string // as it was given; may be empty
	Want  string // what would be right
}

func (f Fault) String() string { return describe(f.Name, f.Value, f.Want) }

// Faults are all faults of one invocation. As an error it has one line each.
type Faults []Fault

func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i, fault := range f {
		lines[i] = fault.String()
	}
	return strings.Join(lines, "\n")
}

// err is nil if there is no fault, which a nil Faults in an error is not.
func (f Faults) err() error {
	if len(f) == 0 {
		return nil
	}
	return f
}

func (f *Faults) add(name, value string, err error) {
	want := strings.TrimPrefix(err.Error(), strconv.Quote(value)+": ") // it is named once already
	want = strings.ReplaceAll(want, "\n", "; ")                        // errors.Join has a line each
	*f = append(*f, Fault{Name: name, Value: value, Want: want})
}

// Warning is a variable that does not do what its author may expect. sbinit
// starts all the same.
type Warning struct {
	Name  string
	Value string
	Text  string
}

func (w Warning) String() string { return describe(w.Name, w.Value, w.Text) }

// describe writes NAME="value": text for a variable, -o "value": text for an
// option or a command.
func describe(name, value, text string) string {
	name = printable(name) // may be an unknown option or variable
	if value == "" {
		return name + ": " + text
	}
	separator := " "
	if name[0] >= 'A' && name[0] <= 'Z' {
		separator = "="
	}
	return name + separator + quote(value) + ": " + text
}

// quote makes a value safe for a log line: no control characters, no end of a
// line, and not the whole of a file that somebody put into a variable.
func quote(value string) string {
	const most = 80
	if len(value) > most {
		return strconv.Quote(value[:most]) + "..."
	}
	return strconv.Quote(value)
}

// printable is quote without the quotes.
func printable(name string) string { return strings.ReplaceAll(quote(name), `"`, "") }
