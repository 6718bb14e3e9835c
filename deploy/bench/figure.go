package main

// columns are those of the table that have values: all that is ever measured.
var columns = []string{sbinit, "tini", "dumb-init", "catatonit", floor, bare, script}

const (
	sbinit = "sbinit"
	floor  = "floor" // the least that a Go program does as an init
	bare   = "bare"
	script = "script"
)

// An aim is a limit for sbinit.
type aim struct {
	limit   float64 // 0: none
	ratio   bool    // of the ratio, not of the value
	atLeast bool    // else at most
}

func (a aim) missedBy(value float64) bool {
	if a.limit == 0 {
		return false
	}
	if a.atLeast {
		return value < a.limit
	}
	return value > a.limit
}

// A figure is a row of the table.
type figure struct {
	name   string
	unit   string
	base   string // the column that sbinit's is a ratio to; "": none
	aim    aim
	values map[string]sample // by column
}

func (f *figure) add(column string, value float64) {
	if f.values == nil {
		f.values = map[string]sample{}
	}
	f.values[column] = append(f.values[column], value)
}

func (f *figure) ratio() sample { return f.values[sbinit].over(f.values[f.base]) }

// judged is what the aim is for. It is empty if that was not measured, for want of a peer.
func (f *figure) judged() sample {
	if f.aim.ratio {
		return f.ratio()
	}
	return f.values[sbinit]
}

// verdict is "" without an aim.
func (f *figure) verdict() string {
	s := f.judged()
	switch {
	case f.aim.limit == 0:
		return ""
	case len(s) == 0:
		return "not measured"
	case f.aim.missedBy(s.median()):
		return "**missed**"
	}
	return "met"
}
