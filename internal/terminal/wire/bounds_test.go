package wire

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/sbinit/sbinit/internal/terminal/wire/wiretest"

	"github.com/sbinit/sbinit/internal/jsonline"
)

// TestDataBound has data at the bound and one over it, and all lengths of padding.
func TestDataBound(t *testing.T) {
	schema := wiretest.LoadSchema(t)
	for n := MaxData - 3; n <= MaxData+3; n++ {
		line := bytes.TrimSuffix(Input{Data: chunk(n)}.Append(nil), []byte("\n"))
		inSchema := schema.Caller(line) == nil
		m, err := DecodeCaller(line)
		if n <= MaxData {
			if err != nil || !bytes.Equal(m.(Input).Data, chunk(n)) || !inSchema {
				t.Errorf("%d bytes: %v; schema %v", n, err, inSchema)
			}
			continue
		}
		if !isCode(err, CodeDataTooLong) || inSchema {
			t.Errorf("%d bytes: %v; schema %v", n, err, inSchema)
		}
	}
}

// TestDataInPlace decodes each length where the text was.
func TestDataInPlace(t *testing.T) {
	for n := range 2000 {
		line := bytes.TrimSuffix(Input{Data: chunk(n)}.Append(nil), []byte("\n"))
		m, err := DecodeCaller(line)
		if err != nil || !bytes.Equal(m.(Input).Data, chunk(n)) {
			t.Fatalf("%d bytes: %v", n, err)
		}
	}
}

// TestLineBound decodes a line as long as they may be, and none longer.
func TestLineBound(t *testing.T) {
	for n, want := range map[int]bool{MaxLine - 1: true, MaxLine: false} {
		line := `{"type":"close"` + strings.Repeat(" ", n-len(`{"type":"close"}`)) + "}"
		_, err := DecodeCaller([]byte(line))
		if (err == nil) != want || !want && !isCode(err, CodeLineTooLong) {
			t.Errorf("%d bytes without the newline: %v", n, err)
		}
	}
}

func TestSides(t *testing.T) {
	for n, want := range map[int]bool{-1: false, 0: false, 1: true, 1000: true, 1001: false} {
		for _, format := range []string{`"cols":%d,"rows":24`, `"cols":80,"rows":%d`} {
			sides := fmt.Sprintf(format, n)
			for _, kind := range []string{"open", "resize"} {
				_, err := DecodeCaller([]byte(`{"type":"` + kind + `",` + sides + `}`))
				if (err == nil) != want || !want && !isCode(err, CodeBadValue) {
					t.Errorf("%s with %s: %v", kind, sides, err)
				}
			}
		}
	}
}

// TestManyVariables has as many as a line holds.
func TestManyVariables(t *testing.T) {
	var env []string
	o := Open{Cols: 80, Rows: 24}
	for i := 0; len(o.Append(nil)) < MaxLine-20; i++ {
		env = append(env, fmt.Sprintf("%x=", i))
		o.Env = env
	}
	if err := o.Check(); err != nil {
		t.Fatal(err)
	}
	m, err := DecodeCaller(bytes.TrimSuffix(o.Append(nil), []byte("\n")))
	if err != nil || len(m.(Open).Env) != len(env) {
		t.Errorf("%d variables: %v", len(env), err)
	}
}

// TestDeepest has nesting at the bound and one over it.
func TestDeepest(t *testing.T) {
	for depth := 1; depth <= 6; depth++ {
		inner := depth - 1
		line := `{"type":"close","x":` + strings.Repeat("[", inner) + "1" + strings.Repeat("]", inner) + "}"
		want := CodeUnknownField
		if depth > jsonline.MaxDepth {
			want = CodeBadJSON
		}
		if _, err := DecodeCaller([]byte(line)); !isCode(err, want) {
			t.Errorf("%s: %v, want %s", line, err, want)
		}
	}
	deep := strings.Repeat(`[`, MaxLine-1)
	if _, err := DecodeCaller([]byte(deep)); !isCode(err, CodeBadJSON) {
		t.Error(err)
	}
}

// TestMalformedSaysWhere names the byte, counted from 1, so that an author of a harness
// finds it.
func TestMalformedSaysWhere(t *testing.T) {
	for line, want := range map[string]string{
		``:                            "want an object, at byte 1",
		`{"type":"close"} x`:          "there is something behind the object, at byte 18",
		`{"type":"close",}`:           "want a string, at byte 17",
		`{"type":"close"`:             "want a comma or the end of an array or object, at byte 16",
		`{"type":"data","data":'`:     "want a value, at byte 23",
		`{"type":"é","data":"` + "\t": "a string has a control character that is not escaped, at byte 22",
	} {
		_, err := DecodeCaller([]byte(line))
		if err == nil || err.(*Error).Message != want {
			t.Errorf("%q: %v, want %s", line, err, want)
		}
	}
}
