package control

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// full is a status of which no field is zero.
func full() *Status {
	s := &Status{}
	n := 0
	fill(reflect.ValueOf(s).Elem(), &n)
	s.Counts.SessionsEnded = []Tally{{"exited", 4}, {"killed", 7}}
	s.Omitted = 0 // Append's to say
	return s
}

// fill gives each field a value of its own.
func fill(v reflect.Value, n *int) {
	*n++
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), n)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			fill(v.Index(i), n)
		}
	case reflect.String:
		v.SetString(strings.Repeat("x", *n%7) + "\n\"é")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Uint64:
		v.SetUint(uint64(*n))
	case reflect.Int64: // a duration
		v.SetInt(int64(*n) * int64(time.Millisecond))
	default:
		v.SetInt(int64(*n))
	}
}

func TestStatusComesBack(t *testing.T) {
	want := full()
	line := want.Append(nil)
	got, err := Decode(line)
	if err != nil {
		t.Fatalf("%v: %s", err, line)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s\n%s", diff, line)
	}
}

// hostile has as many guards as there can be, with the longest of names.
func hostile() *Status {
	name := strings.Repeat("\x01", 40_000)
	s := &Status{Version: name, Commit: name, Policy: "abandoned", Main: Program{math.MaxInt32, name}}
	for range 4096 {
		s.Guards = append(s.Guards, Program{math.MaxInt32, name})
		s.Sessions = append(s.Sessions, Session{math.MaxInt32, math.MaxInt32, math.MaxInt32, math.MaxInt64})
	}
	for i := range 64 {
		s.Counts.SessionsEnded = append(s.Counts.SessionsEnded, Tally{strings.Repeat("r", i), math.MaxInt64})
	}
	return s
}

// TestWorstFits: no status is longer than what a client reads, and it is JSON.
func TestWorstFits(t *testing.T) {
	for _, s := range []*Status{{}, full(), hostile()} {
		line := s.Append(nil)
		if len(line) > MaxLine || strings.Count(string(line), "\n") != 1 || line[len(line)-1] != '\n' || !json.Valid(line) {
			t.Errorf("%d bytes: %.200q", len(line), line)
		}
		got, err := Decode(line)
		if err != nil {
			t.Fatal(err)
		}
		if omitted := len(s.Guards) + len(s.Sessions) - len(got.Guards) - len(got.Sessions); got.Omitted != omitted {
			t.Errorf("%d omitted, says %d", omitted, got.Omitted)
		}
	}
}

func TestNoGarbage(t *testing.T) {
	s, buffer := full(), make([]byte, 0, MaxLine)
	if n := testing.AllocsPerRun(100, func() { buffer = s.Append(buffer[:0]) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestNewerStatus: of what it does not know a client takes no notice.
func TestNewerStatus(t *testing.T) {
	got, err := Decode([]byte(`{"new":[{"a":1}],"counts":{"new":{"x":1},"reaped":3},"main":{"new":true,"pid":7},"type":"status",` +
		`"sessions":[{"pid":9,"new":"x"}],"orphans":{"new":1,"kept":2},"limits":{"new":1}}`))
	want := &Status{
		Main: Program{PID: 7}, Counts: Counts{Reaped: 3}, Sessions: []Session{{PID: 9}}, Orphans: Orphans{Kept: 2},
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
}

func TestNoStatus(t *testing.T) {
	for _, line := range []string{
		"", "\n", "{}", "[]", "null", `"status"`, `{"type":"end"}`, `{"type":"status"} x`, `{"type":"status"`, `{"type":7}`,
		"{\"type\":\"status\",\"version\":\"\xff\"}", `{"type":"status","version":1}`, `{"type":"status","uptime_ms":-1}`,
		`{"type":"status","uptime_ms":1.5}`, `{"type":"status","uptime_ms":"1"}`, `{"type":"status","blind":1}`,
		`{"type":"status","guards":{}}`, `{"type":"status","main":[]}`, `{"type":"status","counts":null}`,
		`{"type":"status","x":"` + strings.Repeat("x", MaxLine) + `"}`,
	} {
		if s, err := Decode([]byte(line)); err == nil {
			t.Errorf("%.100q: %+v", line, s)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, s := range []*Status{{}, full()} {
		f.Add(s.Append(nil))
	}
	f.Add([]byte(`{"type":"status","guards":[[1]],"uptime_ms":99999999999999999999}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		s, err := Decode(line)
		if err != nil {
			return
		}
		if !json.Valid(line) {
			t.Fatalf("no JSON: %q", line)
		}
		again := s.Append(nil)
		if _, err := Decode(again); err != nil {
			t.Fatalf("%v: %q", err, again)
		}
	})
}
