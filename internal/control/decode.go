package control

import (
	"errors"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/sbinit/sbinit/internal/jsonline"
)

var (
	errNoStatus = errors.New("the answer is no status of an sbinit")
	errValue    = errors.New("a value of the status is of another kind than it should be")
)

// Decode reads an answer, with or without its newline. Of what it does not know it
// takes no notice: the init may be a newer one.
func Decode(line []byte) (*Status, error) {
	if len(line) > MaxLine || !utf8.Valid(line) {
		return nil, errNoStatus
	}
	if n := len(line); n > 0 && line[n-1] == '\n' {
		line = line[:n-1]
	}
	d := decoder{jsonline.Scan(line)}
	s, kind := &Status{}, ""
	d.object(func(key string) {
		if key == "type" {
			kind = d.text()
			return
		}
		d.field(s, key)
	})
	switch {
	case d.Err() != nil:
		return nil, d.Err()
	case kind != "status" || !d.AtEnd():
		return nil, errNoStatus
	}
	return s, nil
}

// A decoder walks over an answer. Its methods read the value that is next.
type decoder struct{ jsonline.Scanner }

func (d *decoder) field(s *Status, key string) {
	switch key {
	case "version":
		s.Version = d.text()
	case "commit":
		s.Commit = d.text()
	case "uptime_ms":
		s.Uptime = d.milliseconds()
	case "phase":
		s.Phase = Phase(d.text())
	case "policy":
		s.Policy = d.text()
	case "blind":
		s.Blind = d.flag()
	case "main":
		s.Main = d.program()
	case "guards":
		d.list(func() { s.Guards = append(s.Guards, d.program()) })
	case "sessions":
		d.list(func() { s.Sessions = append(s.Sessions, d.session()) })
	case "omitted":
		s.Omitted = d.number()
	case "orphans":
		d.orphans(&s.Orphans)
	case "counts":
		d.counts(&s.Counts)
	case "limits":
		d.limits(&s.Limits)
	default:
		d.Value()
	}
}

func (d *decoder) program() (p Program) {
	d.object(func(key string) {
		switch key {
		case "pid":
			p.PID = d.number()
		case "name":
			p.Name = d.text()
		default:
			d.Value()
		}
	})
	return p
}

func (d *decoder) session() (s Session) {
	d.object(func(key string) {
		switch key {
		case "pid":
			s.PID = d.number()
		case "caller_pid":
			s.CallerPID = d.number()
		case "caller_uid":
			s.CallerUID = d.number()
		case "age_ms":
			s.Age = d.milliseconds()
		default:
			d.Value()
		}
	})
	return s
}

func (d *decoder) orphans(o *Orphans) {
	d.object(func(key string) {
		switch key {
		case "waiting":
			o.Waiting = d.number()
		case "tolerated":
			o.Tolerated = d.number()
		case "kept":
			o.Kept = d.number()
		case "owned":
			o.Owned = d.number()
		case "ending":
			o.Ending = d.number()
		default:
			d.Value()
		}
	})
}

func (d *decoder) counts(c *Counts) {
	d.object(func(key string) {
		if key == "sessions_ended" {
			d.object(func(reason string) {
				c.SessionsEnded = append(c.SessionsEnded, Tally{reason, uint64(d.integer())})
			})
			return
		}
		for _, f := range counters {
			if f.key == key {
				*f.of(c) = uint64(d.integer())
				return
			}
		}
		d.Value()
	})
}

func (d *decoder) limits(l *Limits) {
	d.object(func(key string) {
		switch key {
		case "sessions":
			l.Sessions = d.number()
		case "connections":
			l.Connections = d.number()
		default:
			d.Value()
		}
	})
}

// object calls fn for each field, whose value is next.
func (d *decoder) object(fn func(key string)) {
	for d.Enter('{'); d.More('}'); {
		fn(string(d.Key().Unescaped()))
	}
}

func (d *decoder) list(fn func()) {
	for d.Enter('['); d.More(']'); {
		fn()
	}
}

func (d *decoder) text() string {
	v := d.Value()
	if v.Kind != '"' {
		d.Fail(errValue)
	}
	return string(v.Unescaped())
}

func (d *decoder) flag() bool {
	v := d.Value()
	if v.Kind != 't' && v.Kind != 'f' {
		d.Fail(errValue)
	}
	return v.Kind == 't'
}

// integer is never negative: a count, a number of a process, milliseconds.
func (d *decoder) integer() int64 {
	v := d.Value()
	n, err := strconv.ParseUint(string(v.Text), 10, 63)
	if err != nil || v.Kind != '0' {
		d.Fail(errValue)
	}
	return int64(n)
}

func (d *decoder) number() int { return int(d.integer()) }

func (d *decoder) milliseconds() time.Duration {
	const longest = int64(1<<63-1) / int64(time.Millisecond)
	return time.Duration(min(d.integer(), longest)) * time.Millisecond
}
