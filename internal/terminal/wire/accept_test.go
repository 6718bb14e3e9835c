package wire

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/terminal/wire/wiretest"
)

// callerLines are what the worker takes, and what it means.
var callerLines = map[string]CallerMessage{
	`{"type":"open","cols":80,"rows":24}`: Open{Cols: 80, Rows: 24},
	`{"type":"open","protocol":1,"cols":1,"rows":1000,"cwd":"/","argv":["sh","-c",""],"env":{"A":"","B":"x=y"},"lifetime_ms":1,"idle_ms":2,"id":"x"}`: Open{
		Cols: 1, Rows: 1000, Cwd: "/", Argv: []string{"sh", "-c", ""}, Env: []string{"A=", "B=x=y"},
		Lifetime: time.Millisecond, Idle: 2 * time.Millisecond, ID: "x",
	},
	`{"type":"open","cols":80,"rows":24,"env":{}}`: Open{Cols: 80, Rows: 24},
	`{"type":"open","cols":80,"rows":24,"lifetime_ms":9007199254740991}`: Open{
		Cols: 80, Rows: 24, Lifetime: math.MaxInt64 / time.Millisecond * time.Millisecond,
	},
	`{"type":"data","data":""}`:                   Input{Data: []byte{}},
	`{"type":"data","data":"AA=="}`:               Input{Data: []byte{0}},
	`{"type":"data","data":"+/+/"}`:               Input{Data: []byte{0xfb, 0xff, 0xbf}},
	`{"type":"data","data":"\u002b\/+\/"}`:        Input{Data: []byte{0xfb, 0xff, 0xbf}},
	`{"type":"resize","cols":1,"rows":1000}`:      Resize{Cols: 1, Rows: 1000},
	`{"type":"signal","signal":"INT"}`:            Signal{Signal: unix.SIGINT},
	`{"type":"signal","signal":"RTMIN+3"}`:        Signal{Signal: 37},
	`{"type":"close"}`:                            Close{},
	"{\"type\":\"close\"}\r":                      Close{},
	" \t\r{ \"type\"\t:\r\"close\" } ":            Close{},
	`{"t\u0079pe":"cl\u006Fse"}`:                  Close{},
	`{"rows":2,"cols":3,"type":"resize"}`:         Resize{Cols: 3, Rows: 2},
	`{"type":"open","cols":1,"rows":1,"id":"\""}`: Open{Cols: 1, Rows: 1, ID: `"`},
	`{"type":"open","cols":1,"rows":1,"id":"\b\f\n\r\t\"\\\/\u001f\u20ac\ud83d\ude00€"}`: Open{
		Cols: 1, Rows: 1, ID: "\b\f\n\r\t\"\\/\x1f€😀€",
	},
	`{"type":"open","cols":1,"rows":1,"id":"` + strings.Repeat("é", MaxID) + `"}`: Open{
		Cols: 1, Rows: 1, ID: strings.Repeat("é", MaxID),
	},
	`{"type":"open","cols":1,"rows":1,"env":{"\u0041":"\u0042"}}`: Open{Cols: 1, Rows: 1, Env: []string{"A=B"}},
}

// workerLines are what a caller gets, and what it means.
var workerLines = map[string]WorkerMessage{
	`{"type":"ready","protocol":1,"id":"x","pid":7,"containment":"subreaper","limits":{"lifetime_ms":1,"idle_ms":2,"io_timeout_ms":3,"cleanup_timeout_ms":4,"drain_limit":5,"descendants":6,"scan":7}}`: Ready{
		ID: "x", PID: 7, Containment: Subreaper, Limits: Limits{
			Lifetime: time.Millisecond, Idle: 2 * time.Millisecond, IOTimeout: 3 * time.Millisecond,
			CleanupTimeout: 4 * time.Millisecond, DrainLimit: 5, Descendants: 6, Scan: 7,
		},
	},
	`{"type":"ready","protocol":1,"pid":7,"containment":"subreaper","limits":{"io_timeout_ms":0,"cleanup_timeout_ms":0,"drain_limit":0,"descendants":0,"scan":0}}`: Ready{
		PID: 7, Containment: Subreaper,
	},
	`{"type":"data","offset":9007199254740991,"data":"AA=="}`: Output{Offset: 1<<53 - 1, Data: []byte{0}},
	`{"type":"accepted","offset":0}`:                          Accepted{},
	`{"type":"exited","exit_code":0}`:                         Exited{},
	`{"type":"exited","exit_code":255}`:                       Exited{Code: 255},
	`{"type":"exited","signal":"KILL"}`:                       Exited{Signal: unix.SIGKILL},
	`{"type":"exited","signal":"32"}`:                         Exited{Signal: 32},
	`{"type":"error","code":"bad_json","message":""}`:         Error{Code: CodeBadJSON},
	`{"type":"end","reason":"eof","contained":true,"killed":1,"reaped":2,"survivors":[],"output_truncated":false,"duration_ms":3}`: End{
		Reason: ReasonEOF, Contained: true, Killed: 1, Reaped: 2, Duration: 3 * time.Millisecond,
	},
	`{"type":"end","reason":"error","contained":false,"killed":0,"reaped":0,"survivors":[{"pid":5,"start":9,"name":") Z 1","state":"Z","uid":4294967295,"tracer":6},{"pid":7,"start":0,"name":"","state":"D","uid":0}],"survivors_omitted":1,"output_truncated":true,"duration_ms":0}`: End{
		Reason: ReasonError, OutputTruncated: true, Omitted: 1, Survivors: []Survivor{
			{PID: 5, Start: 9, Name: ") Z 1", State: 'Z', UID: 1<<32 - 1, Tracer: 6}, {PID: 7, State: 'D'},
		},
	},
}

func TestAccept(t *testing.T) {
	schema := wiretest.LoadSchema(t)
	for line, want := range callerLines {
		got, err := DecodeCaller([]byte(line))
		checkSame(t, line, got, err, want, want.Append(nil))
		if err := schema.Caller([]byte(line)); err != nil {
			t.Errorf("the schema refuses %s: %v", line, err)
		}
	}
	for line, want := range workerLines {
		got, err := DecodeWorker([]byte(line))
		checkSame(t, line, got, err, want, want.Append(nil))
		if err := schema.Worker([]byte(line)); err != nil {
			t.Errorf("the schema refuses %s: %v", line, err)
		}
		if again := string(want.Append(nil)); again != line+"\n" {
			t.Errorf("%s\nis encoded as %s", line, again)
		}
	}
}

// checkSame wants a message, from the line and from how it is encoded.
func checkSame(t *testing.T, line string, got any, err error, want any, encoded []byte) {
	t.Helper()
	if err != nil || !cmp.Equal(got, want) {
		t.Errorf("%s: %v\n%s", line, err, cmp.Diff(want, got))
	}
	encoded = encoded[:len(encoded)-1]
	if _, caller := want.(CallerMessage); caller {
		got, err = DecodeCaller(encoded)
	} else {
		got, err = DecodeWorker(encoded)
	}
	if err != nil || !cmp.Equal(got, want) {
		t.Errorf("%s, encoded: %v\n%s", line, err, cmp.Diff(want, got))
	}
}

// TestDirections takes no message in the wrong direction.
func TestDirections(t *testing.T) {
	for line := range callerLines {
		if m, err := DecodeWorker([]byte(line)); err == nil {
			t.Errorf("a worker may send %s: %v", line, m)
		}
	}
	for line := range workerLines {
		if m, err := DecodeCaller([]byte(line)); err == nil {
			t.Errorf("a caller may send %s: %v", line, m)
		}
	}
}
