package jsonline

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestAppend(t *testing.T) {
	b := AppendText([]byte("{"), "text", "a\"\\\b\f\n\r\t\x01\x7f\xffé\u202e")
	b = AppendInteger(b, "n", -7)
	b = AppendBool(b, "flag", true)
	b = append(AppendKey(b, "list"), '[')
	for _, item := range []string{"x", ""} {
		b = AppendQuoted(AppendComma(b), item)
	}
	b = append(b, "]}"...)
	want := `{"text":"a\"\\\b\f\n\r\t\u0001\u007f` + "\ufffdé" + `\u202e","n":-7,"flag":true,"list":["x",""]}`
	if string(b) != want || !json.Valid(b) {
		t.Errorf("%s\nwant\n%s", b, want)
	}
}

func TestCut(t *testing.T) {
	for longest, want := range []string{"", "a", "a", "aé", "aé", "aé", "aé€"} {
		if got := Cut("aé€", longest); got != want {
			t.Errorf("at %d: %q, want %q", longest, got, want)
		}
	}
}

func TestFailKeepsTheFirst(t *testing.T) {
	s := Scan([]byte(`[1]`))
	s.Enter('{')
	first := s.Err()
	s.Fail(&Error{NotTaken, "another"})
	if s.Err() != first || !s.AtEnd() || s.More(']') {
		t.Errorf("%v, at its end: %v", s.Err(), s.AtEnd())
	}
}

// FuzzScan agrees with encoding/json on what is JSON, and on what strings mean. It
// refuses more: null, NUL, halves of surrogate pairs, what is too deep.
func FuzzScan(f *testing.F) {
	for _, line := range []string{
		`{"a":[1,-0.5e+7,"x\u20ac\ud83d\ude00\/",true,false,{}],"b":{}}`, `"\ud83d"`, `"\u0000"`, `null`, `[[[[[]]]]]`, `01`, `1.`,
		`[1,]`, `{"a" : 1 }`, "\"\x01\"", `tru`, ``,
	} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		if !utf8.ValidString(line) || strings.Contains(line, "\n") {
			return
		}
		s := Scan([]byte(line))
		s.Space()
		v := s.Value()
		s.Space()
		taken := s.Err() == nil && s.AtEnd()
		if taken && !json.Valid([]byte(line)) {
			t.Fatalf("%q is no JSON", line)
		}
		if fault, ok := s.Err().(*Error); ok && fault.Fault == Syntax && strings.Count(line, "[")+strings.Count(line, "{") <= MaxDepth &&
			json.Valid([]byte(line)) {
			t.Fatalf("%q: %v", line, s.Err())
		}
		var text string
		if taken && v.Kind == '"' && (json.Unmarshal([]byte(line), &text) != nil || text != string(v.Unescaped())) {
			t.Fatalf("%q means %q, not %q", line, text, v.Unescaped())
		}
	})
}
