package wire

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/sbinit/sbinit/internal/terminal/wire/wiretest"
)

// A refusal is a line that is wrong, and with which code.
type refusal struct {
	line string
	code Code
}

// beyondSchema are rules on how JSON is written. A JSON Schema sees values only.
var beyondSchema = []refusal{
	{``, CodeBadJSON},
	{` `, CodeBadJSON},
	{"\r", CodeBadJSON},
	{"\ufeff" + `{"type":"close"}`, CodeBadJSON},
	{`{"type":"close"} x`, CodeBadJSON},
	{`{"type":"close"}{"type":"close"}`, CodeBadJSON},
	{`{"type":"close"},`, CodeBadJSON},
	{`{"type":"close"}` + "\x00", CodeBadJSON},
	{`{"type":"close",}`, CodeBadJSON},
	{`{,"type":"close"}`, CodeBadJSON},
	{`{"type":"close"`, CodeBadJSON},
	{`{"type":"close`, CodeBadJSON},
	{`{"type":"close\`, CodeBadJSON},
	{`{"type":"close\"`, CodeBadJSON},
	{`{"type" "close"}`, CodeBadJSON},
	{`{"type"`, CodeBadJSON},
	{`{"type":`, CodeBadJSON},
	{`{"type":}`, CodeBadJSON},
	{`{`, CodeBadJSON},
	{`{type:"close"}`, CodeBadJSON},
	{`{'type':'close'}`, CodeBadJSON},
	{`{"type":close}`, CodeBadJSON},
	{`{"type":"close"/* x */}`, CodeBadJSON},
	{`{"type":"close"} // x`, CodeBadJSON},
	{"{\"type\":\"close\"\v}", CodeBadJSON},
	{"{\n\"type\":\"close\"}", CodeBadJSON},
	{"{\"type\":\"close\"}\n", CodeBadJSON},
	{`{"type":"open","cols":1,"rows":1,"id":"` + "\t" + `"}`, CodeBadJSON},
	{`{"type":"open","cols":1,"rows":1,"id":"` + "\x00" + `"}`, CodeBadJSON},
	{`{"type":"open","cols":1,"rows":1,"id":"\x41"}`, CodeBadJSON},
	{`{"type":"open","cols":1,"rows":1,"id":"\u00g1"}`, CodeBadJSON},
	{`{"type":"open","cols":1,"rows":1,"id":"\u+041"}`, CodeBadJSON},
	{`{"type":"open","cols":1,"rows":1,"id":"\u0_41"}`, CodeBadJSON},
	{`{"type":"open","cols":1,"rows":1,"id":"\u004`, CodeBadJSON},
	{`{"type":"open","cols":1,"rows":1,"id":"\U0041"}`, CodeBadJSON},
	{`{"type":"resize","cols":080,"rows":24}`, CodeBadJSON},
	{`{"type":"resize","cols":+80,"rows":24}`, CodeBadJSON},
	{`{"type":"resize","cols":0x50,"rows":24}`, CodeBadJSON},
	{`{"type":"resize","cols":80.,"rows":24}`, CodeBadJSON},
	{`{"type":"resize","cols":.8,"rows":24}`, CodeBadJSON},
	{`{"type":"resize","cols":8e,"rows":24}`, CodeBadJSON},
	{`{"type":"resize","cols":-,"rows":24}`, CodeBadJSON},
	{`{"type":"resize","cols":NaN,"rows":24}`, CodeBadJSON},
	{`{"type":"open","cols":1,"rows":1,"argv":["a",]}`, CodeBadJSON},
	{`{"type":"open","cols":1,"rows":1,"argv":["a" "b"]}`, CodeBadJSON},
	{`{"type":"open","cols":1,"rows":1,"argv":["a"}`, CodeBadJSON},
	{`{"type":"open","cols":1,"rows":1,"env":{"A"}}`, CodeBadJSON},
	{`{"type":"open","cols":1,"rows":1,"env":{"A":"a",}}`, CodeBadJSON},
	{`{"type":"close"` + "\xff" + `}`, CodeBadUTF8},
	{`{"type":"open","cols":1,"rows":1,"id":"` + "\xff" + `"}`, CodeBadUTF8},
	{`{"type":"open","cols":1,"rows":1,"id":"` + "\xc0\x80" + `"}`, CodeBadUTF8},
	{`{"type":"open","cols":1,"rows":1,"id":"` + "\xed\xa0\xbd\xed\xb8\x80" + `"}`, CodeBadUTF8},
	{`{"type":"open","cols":1,"rows":1,"id":"\ud83d"}`, CodeBadUTF8},
	{`{"type":"open","cols":1,"rows":1,"id":"\ude00"}`, CodeBadUTF8},
	{`{"type":"open","cols":1,"rows":1,"id":"\ude00\ud83d"}`, CodeBadUTF8},
	{`{"type":"open","cols":1,"rows":1,"id":"\ud83d\u0041"}`, CodeBadUTF8},
	{`{"type":"open","cols":1,"rows":1,"id":"\ud83dx"}`, CodeBadUTF8},
	{`{"type":"open","cols":1,"rows":1,"env":{"\ud83d":""}}`, CodeBadUTF8},
	{`{"type":"close","type":"close"}`, CodeDuplicateKey},
	{`{"type":"close","t\u0079pe":"close"}`, CodeDuplicateKey},
	{`{"type":"resize","cols":80,"rows":24,"cols":80}`, CodeDuplicateKey},
	{`{"type":"open","cols":1,"rows":1,"env":{"A":"1","A":"1"}}`, CodeDuplicateKey},
	{`{"type":"open","cols":1,"rows":1,"env":{"A":"1","\u0041":"2"}}`, CodeDuplicateKey},
	{`{"type":"resize","cols":80.0,"rows":24}`, CodeBadValue},
	{`{"type":"resize","cols":8e1,"rows":24}`, CodeBadValue},
	{`{"type":"resize","cols":8E+1,"rows":24}`, CodeBadValue},
	{`{"type":"resize","cols":800e-1,"rows":24}`, CodeBadValue},
	{`{"type":"open","cols":1,"rows":1,"protocol":1.0}`, CodeBadValue},
	{`{"type":"open","cols":1,"rows":1,"lifetime_ms":1e3}`, CodeBadValue},
}

// withinSchema are rules that the JSON Schema has as well.
var withinSchema = []refusal{
	{`[]`, CodeBadJSON},
	{`"close"`, CodeBadJSON},
	{`1`, CodeBadJSON},
	{`null`, CodeBadJSON},
	{`{}`, CodeMissingField},
	{`{"TYPE":"close"}`, CodeMissingField},
	{`{"type":""}`, CodeUnknownType},
	{`{"type":"CLOSE"}`, CodeUnknownType},
	{`{"type":"close "}`, CodeUnknownType},
	{`{"type":"status"}`, CodeUnknownType},
	{`{"type":"ready"}`, CodeUnknownType},
	{`{"type":1}`, CodeBadValue},
	{`{"type":null}`, CodeBadValue},
	{`{"type":["close"]}`, CodeBadValue},
	{`{"type":"close","x":1}`, CodeUnknownField},
	{`{"type":"close","data":""}`, CodeUnknownField},
	{`{"type":"close","x":[[[[{}]]]]}`, CodeBadJSON},
	{`{"type":"close","x":null}`, CodeBadValue},
	{`{"type":"close","Type":"close"}`, CodeUnknownField},
	{`{"type":"close","":0}`, CodeUnknownField},
	{`{"type":"data","data":"","offset":0}`, CodeUnknownField},
	{`{"type":"close","a":0,"b":0,"c":0,"d":0,"e":0,"f":0,"g":0,"h":0,"i":0,"j":0,"k":0,"l":0,"m":0,"n":0,"o":0,"p":0}`, CodeUnknownField},
	{`{"type":"resize","cols":80}`, CodeMissingField},
	{`{"type":"resize","rows":80}`, CodeMissingField},
	{`{"type":"resize","COLS":80,"rows":24}`, CodeMissingField},
	{`{"type":"open"}`, CodeMissingField},
	{`{"type":"data"}`, CodeMissingField},
	{`{"type":"signal"}`, CodeMissingField},
	{`{"type":"resize","cols":null,"rows":24}`, CodeBadValue},
	{`{"type":"resize","cols":"80","rows":24}`, CodeBadValue},
	{`{"type":"resize","cols":true,"rows":24}`, CodeBadValue},
	{`{"type":"resize","cols":0,"rows":24}`, CodeBadValue},
	{`{"type":"resize","cols":-0,"rows":24}`, CodeBadValue},
	{`{"type":"resize","cols":-1,"rows":24}`, CodeBadValue},
	{`{"type":"resize","cols":80,"rows":1001}`, CodeBadValue},
	{`{"type":"resize","cols":80,"rows":18446744073709551617}`, CodeBadValue},
	{`{"type":"resize","cols":80.5,"rows":24}`, CodeBadValue},
	{`{"type":"open","cols":1001,"rows":1}`, CodeBadValue},
	{`{"type":"open","cols":1,"rows":0}`, CodeBadValue},
	{`{"type":"open","cols":1,"rows":1,"protocol":0}`, CodeBadProtocol},
	{`{"type":"open","cols":1,"rows":1,"protocol":2}`, CodeBadProtocol},
	{`{"type":"open","cols":1,"rows":1,"protocol":"1"}`, CodeBadValue},
	{`{"type":"open","cols":1,"rows":1,"cwd":""}`, CodeBadValue},
	{`{"type":"open","cols":1,"rows":1,"cwd":"tmp"}`, CodeBadValue},
	{`{"type":"open","cols":1,"rows":1,"cwd":"/\u0000"}`, CodeBadValue},
	{`{"type":"open","cols":1,"rows":1,"cwd":null}`, CodeBadValue},
	{`{"type":"open","cols":1,"rows":1,"argv":[]}`, CodeBadValue},
	{`{"type":"open","cols":1,"rows":1,"argv":[""]}`, CodeBadValue},
	{`{"type":"open","cols":1,"rows":1,"argv":["a",1]}`, CodeBadValue},
	{`{"type":"open","cols":1,"rows":1,"argv":["a",null]}`, CodeBadValue},
	{`{"type":"open","cols":1,"rows":1,"argv":["a",["b"]]}`, CodeBadValue},
	{`{"type":"open","cols":1,"rows":1,"argv":["a","\u0000"]}`, CodeBadValue},
	{`{"type":"open","cols":1,"rows":1,"argv":"sh"}`, CodeBadValue},
	{`{"type":"open","cols":1,"rows":1,"argv":{}}`, CodeBadValue},
	{`{"type":"open","cols":1,"rows":1,"env":[]}`, CodeBadValue},
	{`{"type":"open","cols":1,"rows":1,"env":"A=1"}`, CodeBadValue},
	{`{"type":"open","cols":1,"rows":1,"env":{"A":1}}`, CodeBadValue},
	{`{"type":"open","cols":1,"rows":1,"env":{"A":null}}`, CodeBadValue},
	{`{"type":"open","cols":1,"rows":1,"env":{"":"a"}}`, CodeBadValue},
	{`{"type":"open","cols":1,"rows":1,"env":{"A=B":"a"}}`, CodeBadValue},
	{`{"type":"open","cols":1,"rows":1,"env":{"A\u003dB":"a"}}`, CodeBadValue},
	{`{"type":"open","cols":1,"rows":1,"env":{"A\u0000":"a"}}`, CodeBadValue},
	{`{"type":"open","cols":1,"rows":1,"env":{"A":"\u0000"}}`, CodeBadValue},
	{`{"type":"open","cols":1,"rows":1,"lifetime_ms":0}`, CodeBadValue},
	{`{"type":"open","cols":1,"rows":1,"lifetime_ms":-1}`, CodeBadValue},
	{`{"type":"open","cols":1,"rows":1,"lifetime_ms":9007199254740992}`, CodeBadValue},
	{`{"type":"open","cols":1,"rows":1,"idle_ms":0}`, CodeBadValue},
	{`{"type":"open","cols":1,"rows":1,"idle_ms":"1s"}`, CodeBadValue},
	{`{"type":"open","cols":1,"rows":1,"id":""}`, CodeBadValue},
	{`{"type":"open","cols":1,"rows":1,"id":1}`, CodeBadValue},
	{`{"type":"open","cols":1,"rows":1,"id":"` + strings.Repeat("é", MaxID+1) + `"}`, CodeBadValue},
	{`{"type":"signal","signal":"SIGINT"}`, CodeBadValue},
	{`{"type":"signal","signal":"int"}`, CodeBadValue},
	{`{"type":"signal","signal":"2"}`, CodeBadValue},
	{`{"type":"signal","signal":2}`, CodeBadValue},
	{`{"type":"signal","signal":"IOT"}`, CodeBadValue},
	{`{"type":"signal","signal":"RTMIN+0"}`, CodeBadValue},
	{`{"type":"signal","signal":"RTMIN+31"}`, CodeBadValue},
	{`{"type":"signal","signal":"RTMAX"}`, CodeBadValue},
	{`{"type":"signal","signal":""}`, CodeBadValue},
	{`{"type":"data","data":"A"}`, CodeBadBase64},
	{`{"type":"data","data":"AA"}`, CodeBadBase64},
	{`{"type":"data","data":"AA="}`, CodeBadBase64},
	{`{"type":"data","data":"AB=="}`, CodeBadBase64},
	{`{"type":"data","data":"AAB="}`, CodeBadBase64},
	{`{"type":"data","data":"AA==AAAA"}`, CodeBadBase64},
	{`{"type":"data","data":"A==="}`, CodeBadBase64},
	{`{"type":"data","data":"===="}`, CodeBadBase64},
	{`{"type":"data","data":"AA A"}`, CodeBadBase64},
	{`{"type":"data","data":"AAA-"}`, CodeBadBase64},
	{`{"type":"data","data":"AAA_"}`, CodeBadBase64},
	{`{"type":"data","data":"AAAA\n"}`, CodeBadBase64},
	{`{"type":"data","data":"AA\r\nAA"}`, CodeBadBase64},
	{`{"type":"data","data":"\u0000"}`, CodeBadValue},
	{`{"type":"data","data":"é"}`, CodeBadBase64},
	{`{"type":"data","data":[]}`, CodeBadValue},
}

func TestRefuse(t *testing.T) {
	schema := wiretest.LoadSchema(t)
	for _, r := range beyondSchema {
		checkRefused(t, r)
	}
	for _, r := range withinSchema {
		checkRefused(t, r)
		if schema.Caller([]byte(r.line)) == nil {
			t.Errorf("the schema takes %s", r.line)
		}
	}
}

func checkRefused(t *testing.T, r refusal) {
	t.Helper()
	m, err := DecodeCaller([]byte(r.line))
	if err == nil {
		t.Errorf("taken: %s: %+v", r.line, m)
		return
	}
	if m != nil {
		t.Errorf("%s: a message beside the error: %+v", r.line, m)
	}
	checkError(t, r.line, err)
	if code := err.(*Error).Code; code != r.code {
		t.Errorf("%s: %v, want %s", r.line, err, r.code)
	}
}

// checkError holds for every error of the decoder: it can be sent as it is.
func checkError(t *testing.T, line string, err error) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || !e.Code.known() || e.Code.Reason() != ReasonInvalid {
		t.Errorf("%q: %#v", line, err)
		return
	}
	if e.Message == "" || !utf8.ValidString(e.Message) || len(e.Message) > longestMessage {
		t.Errorf("%q: a message of %d bytes: %q", line, len(e.Message), e.Message)
	}
}

// badWorkerLines are what no worker may send.
var badWorkerLines = []refusal{
	{`{"type":"ready","protocol":2,"pid":7,"containment":"subreaper","limits":{"io_timeout_ms":0,"cleanup_timeout_ms":0,"drain_limit":0,"descendants":0,"scan":0}}`, CodeBadProtocol},
	{`{"type":"ready","protocol":1,"pid":0,"containment":"subreaper","limits":{"io_timeout_ms":0,"cleanup_timeout_ms":0,"drain_limit":0,"descendants":0,"scan":0}}`, CodeBadValue},
	{`{"type":"ready","protocol":1,"pid":7,"containment":"none","limits":{"io_timeout_ms":0,"cleanup_timeout_ms":0,"drain_limit":0,"descendants":0,"scan":0}}`, CodeBadValue},
	{`{"type":"ready","protocol":1,"pid":7,"containment":"subreaper","limits":{"io_timeout_ms":0,"cleanup_timeout_ms":0,"drain_limit":0,"descendants":0}}`, CodeMissingField},
	{`{"type":"ready","protocol":1,"pid":7,"containment":"subreaper","limits":{"io_timeout_ms":0,"cleanup_timeout_ms":0,"drain_limit":0,"descendants":0,"scan":0,"x":0}}`, CodeUnknownField},
	{`{"type":"ready","protocol":1,"pid":7,"containment":"subreaper","limits":[]}`, CodeBadValue},
	{`{"type":"ready","protocol":1,"pid":7,"containment":"subreaper"}`, CodeMissingField},
	{`{"type":"data","data":""}`, CodeMissingField},
	{`{"type":"data","offset":-1,"data":""}`, CodeBadValue},
	{`{"type":"accepted","offset":9007199254740992}`, CodeBadValue},
	{`{"type":"exited"}`, CodeMissingField},
	{`{"type":"exited","exit_code":256}`, CodeBadValue},
	{`{"type":"exited","exit_code":0,"signal":"INT"}`, CodeUnknownField},
	{`{"type":"exited","signal":"31"}`, CodeBadValue},
	{`{"type":"error","code":"x","message":""}`, CodeBadValue},
	{`{"type":"error","code":"internal"}`, CodeMissingField},
	{`{"type":"end","reason":"x","contained":true,"killed":0,"reaped":0,"survivors":[],"output_truncated":false,"duration_ms":0}`, CodeBadValue},
	{`{"type":"end","reason":"eof","contained":1,"killed":0,"reaped":0,"survivors":[],"output_truncated":false,"duration_ms":0}`, CodeBadValue},
	{`{"type":"end","reason":"eof","contained":true,"killed":0,"reaped":0,"survivors":{},"output_truncated":false,"duration_ms":0}`, CodeBadValue},
	{`{"type":"end","reason":"eof","contained":true,"killed":0,"reaped":0,"survivors":[5],"output_truncated":false,"duration_ms":0}`, CodeBadValue},
	{`{"type":"end","reason":"eof","contained":true,"killed":0,"reaped":0,"survivors":[{"pid":5,"start":9,"name":"x","state":"ZZ","uid":0}],"output_truncated":false,"duration_ms":0}`, CodeBadValue},
	{`{"type":"end","reason":"eof","contained":true,"killed":0,"reaped":0,"survivors":[{"pid":5,"start":9,"name":"x","state":"[","uid":0}],"output_truncated":false,"duration_ms":0}`, CodeBadValue},
	{`{"type":"end","reason":"eof","contained":true,"killed":0,"reaped":0,"survivors":[{"pid":5,"start":9,"name":"x","state":"Z","uid":4294967296}],"output_truncated":false,"duration_ms":0}`, CodeBadValue},
	{`{"type":"end","reason":"eof","contained":true,"killed":0,"reaped":0,"survivors":[],"survivors_omitted":0,"output_truncated":false,"duration_ms":0}`, CodeBadValue},
	{`{"type":"end","reason":"eof","contained":true,"killed":0,"reaped":0,"survivors":[],"output_truncated":false}`, CodeMissingField},
	{`{"type":"end","reason":"eof","contained":true,"killed":0,"reaped":0,"survivors":[{"pid":5,"start":9,"name":"x","state":"@","uid":0}],"output_truncated":false,"duration_ms":0}`, CodeBadValue},
	{`{"type":"end","reason":"eof","contained":true,"killed":0,"reaped":0,"survivors":[` +
		strings.Repeat(`{"pid":5,"start":9,"name":"x","state":"Z","uid":0},`, MaxSurvivors) +
		`{"pid":5,"start":9,"name":"x","state":"Z","uid":0}],"output_truncated":false,"duration_ms":0}`, CodeBadValue},
	{`{"type":"ready","protocol":1,"id":"` + strings.Repeat("x", MaxID+1) + `","pid":7,"containment":"subreaper","limits":{"io_timeout_ms":0,"cleanup_timeout_ms":0,"drain_limit":0,"descendants":0,"scan":0}}`, CodeBadValue},
	{`{"type":"open","cols":80,"rows":24}`, CodeUnknownType},
}

func TestRefuseWorker(t *testing.T) {
	schema := wiretest.LoadSchema(t)
	for _, r := range badWorkerLines {
		_, err := DecodeWorker([]byte(r.line))
		var e *Error
		if !errors.As(err, &e) || e.Code != r.code {
			t.Errorf("%s: %v, want %s", r.line, err, r.code)
		}
		if schema.Worker([]byte(r.line)) == nil {
			t.Errorf("the schema takes %s", r.line)
		}
	}
}
