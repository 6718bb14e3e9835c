package wire

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// worst are the longest messages that a worker can be made to send: by names and
// texts of control characters, each of which takes six bytes.
func worst() []WorkerMessage {
	hostile := strings.Repeat("\x01", 40_000)
	survivors := make([]Survivor, 300)
	for i := range survivors {
		survivors[i] = Survivor{
			PID: math.MaxInt32, Start: maxInteger, Name: hostile, State: 'Z', UID: math.MaxUint32, Tracer: math.MaxInt32,
		}
	}
	return []WorkerMessage{
		Ready{ID: hostile, PID: math.MaxInt32, Containment: Subreaper, Limits: Limits{
			Lifetime: math.MaxInt64, Idle: math.MaxInt64, IOTimeout: math.MaxInt64, CleanupTimeout: math.MaxInt64,
			DrainLimit: maxCount, Descendants: maxCount, Scan: maxCount,
		}},
		Output{Offset: maxInteger, Data: chunk(MaxData)},
		Error{Code: CodeTooManyDescendants, Message: hostile},
		End{
			Reason: ReasonOutputStalled, Killed: maxCount, Reaped: maxCount, Survivors: survivors,
			Omitted: maxCount - 300, Duration: math.MaxInt64,
		},
	}
}

func TestWorstFits(t *testing.T) {
	for _, m := range worst() {
		line := m.Append(nil)
		if len(line) > MaxLine || bytes.Count(line, []byte("\n")) != 1 || !json.Valid(line) {
			t.Errorf("%T has %d bytes: %.200s", m, len(line), line)
		}
	}
}

func TestOmitted(t *testing.T) {
	for n, want := range map[int]int{0: 2, MaxSurvivors: 2, MaxSurvivors + 1: 3, 300: 300 - MaxSurvivors + 2} {
		survivors := make([]Survivor, n)
		for i := range survivors {
			survivors[i] = Survivor{PID: i + 1, State: 'D'}
		}
		line := End{Reason: ReasonEOF, Survivors: survivors, Omitted: 2}.Append(nil)
		m, err := DecodeWorker(line[:len(line)-1])
		if err != nil {
			t.Fatal(err)
		}
		if end := m.(End); end.Omitted != want || len(end.Survivors) != min(n, MaxSurvivors) {
			t.Errorf("of %d: %d listed, %d omitted", n, len(end.Survivors), end.Omitted)
		}
	}
}

// TestRepair encodes what is no UTF-8: names of processes are any bytes.
func TestRepair(t *testing.T) {
	for name, want := range map[string]string{
		"a\xffb":                       "a\ufffdb",
		"\xed\xa0\xbd":                 "\ufffd\ufffd\ufffd",
		"\"\\\b\f\n\r\t\x01\x7f\u2028": "\"\\\b\f\n\r\t\x01\x7f\u2028",
		strings.Repeat("x", 49):        strings.Repeat("x", 48),
		strings.Repeat("x", 47) + "é":  strings.Repeat("x", 47),
		strings.Repeat("x", 46) + "é":  strings.Repeat("x", 46) + "é",
		strings.Repeat("\x80", 60):     "",
	} {
		line := End{Reason: ReasonEOF, Survivors: []Survivor{{PID: 1, Name: name, State: 'Z'}}}.Append(nil)
		m, err := DecodeWorker(line[:len(line)-1])
		if err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		if got := m.(End).Survivors[0].Name; got != want {
			t.Errorf("%q becomes %q, want %q", name, got, want)
		}
	}
}

// TestShortLimits does not turn a short limit into none.
func TestShortLimits(t *testing.T) {
	for d, want := range map[time.Duration]string{
		1: `"idle_ms":1}`, time.Millisecond: `"idle_ms":1}`, time.Millisecond + 1: `"idle_ms":2}`,
		math.MaxInt64: `"idle_ms":9223372036855}`, 0: `"rows":24}`,
	} {
		if line := string(Open{Cols: 80, Rows: 24, Idle: d}.Append(nil)); !strings.HasSuffix(line, want+"\n") {
			t.Errorf("%d: %s, want %s", d, line, want)
		}
	}
}

// TestNoGarbage: what is sent and received all the time costs no memory, or the one
// allocation that puts a message into its interface.
func TestNoGarbage(t *testing.T) {
	dst, data := make([]byte, 0, MaxLine), chunk(MaxData)
	input, output := Input{Data: data}.Append(nil), Output{Offset: 1 << 40, Data: data}.Append(nil)
	scratch := make([]byte, MaxLine)
	for name, c := range map[string]struct {
		run  func()
		most float64
	}{
		"encode output":   {func() { dst = Output{1 << 40, data}.Append(dst[:0]) }, 0},
		"encode input":    {func() { dst = Input{data}.Append(dst[:0]) }, 0},
		"encode accepted": {func() { dst = Accepted{1 << 40}.Append(dst[:0]) }, 0},
		"encode signal":   {func() { dst = Signal{unix.SIGINT}.Append(dst[:0]) }, 0},
		"encode end":      {func() { dst = End{Reason: ReasonEOF, Survivors: someSurvivors}.Append(dst[:0]) }, 0},
		"decode input":    {func() { decodeAgain(t, scratch, input, true) }, 1},
		"decode output":   {func() { decodeAgain(t, scratch, output, false) }, 1},
	} {
		if got := testing.AllocsPerRun(100, c.run); got > c.most {
			t.Errorf("%s: %v allocations", name, got)
		}
	}
}

var someSurvivors = []Survivor{{PID: 1, Name: "x", State: 'Z'}}

func decodeAgain(t *testing.T, scratch, line []byte, caller bool) {
	line = scratch[:copy(scratch, line[:len(line)-1])]
	var err error
	if caller {
		_, err = DecodeCaller(line)
	} else {
		_, err = DecodeWorker(line)
	}
	if err != nil {
		t.Fatal(err)
	}
}
