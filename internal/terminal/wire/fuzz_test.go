package wire

import (
	"bytes"
	"io"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/sbinit/sbinit/internal/jsonline"
	"github.com/sbinit/sbinit/internal/terminal/wire/wiretest"
)

// FuzzDecodeCaller agrees with the reference on what is legal. What is legal comes
// back from its encoding.
func FuzzDecodeCaller(f *testing.F) {
	for line := range callerLines {
		f.Add([]byte(line))
	}
	for _, list := range [][]refusal{beyondSchema, withinSchema} {
		for _, r := range list {
			f.Add([]byte(r.line))
		}
	}
	schema := wiretest.LoadSchema(f)
	f.Fuzz(func(t *testing.T, line []byte) {
		want := reference(line, schema.Caller)
		m, err := DecodeCaller(bytes.Clone(line))
		if (err == nil) != (want == nil) {
			t.Fatalf("%q: %v, the reference says %v", line, err, want)
		}
		if err != nil {
			checkError(t, string(line), err)
			return
		}
		encoded := m.Append(nil)
		if o, ok := m.(Open); ok && len(encoded) <= MaxLine && o.Check() != nil {
			t.Fatalf("%q: %v", line, o.Check())
		}
		if len(encoded) > MaxLine {
			return // "protocol" is added
		}
		again, err := DecodeCaller(encoded[:len(encoded)-1])
		if err != nil || !cmp.Equal(again, m) {
			t.Fatalf("%q: %v: %s", line, err, cmp.Diff(m, again))
		}
	})
}

// FuzzDecodeWorker is the same for a client.
func FuzzDecodeWorker(f *testing.F) {
	for line := range workerLines {
		f.Add([]byte(line))
	}
	for _, r := range badWorkerLines {
		f.Add([]byte(r.line))
	}
	schema := wiretest.LoadSchema(f)
	f.Fuzz(func(t *testing.T, line []byte) {
		want := reference(line, schema.Worker)
		m, err := DecodeWorker(bytes.Clone(line))
		if (err == nil) != (want == nil) {
			t.Fatalf("%q: %v, the reference says %v", line, err, want)
		}
		if err != nil {
			checkError(t, string(line), err)
			return
		}
		again, err := DecodeWorker(bytes.TrimSuffix(m.Append(nil), []byte("\n")))
		if err != nil || !cmp.Equal(again, m, cutText...) {
			t.Fatalf("%q: %v: %s", line, err, cmp.Diff(m, again))
		}
	})
}

// cutText compares what a worker cuts as it does.
var cutText = cmp.Options{
	cmp.Transformer("error", func(e Error) Error { return Error{e.Code, jsonline.Cut(e.Message, longestMessage)} }),
	cmp.Transformer("survivor", func(s Survivor) [6]any {
		return [6]any{s.PID, s.Start, jsonline.Cut(s.Name, longestName), s.State, s.UID, s.Tracer}
	}),
}

// FuzzAppend encodes any text so that it decodes, within the bounds.
func FuzzAppend(f *testing.F) {
	f.Add("x", "bash", []byte("data"), int64(0))
	f.Add("\xff\"\\\n\x00", "\xed\xa0\xbd", []byte{0}, int64(1<<53-1))
	f.Fuzz(func(t *testing.T, text, name string, data []byte, n int64) {
		n &= maxInteger
		name = string(bytes.ReplaceAll([]byte(name), []byte{0}, nil))
		text = string(bytes.ReplaceAll([]byte(text), []byte{0}, nil))
		for _, m := range []WorkerMessage{
			Output{Offset: n, Data: data[:min(len(data), MaxData)]},
			Error{Code: CodeInternal, Message: text},
			End{Reason: ReasonError, Survivors: []Survivor{{PID: 1, Name: name, State: 'Z', Start: uint64(n)}}},
		} {
			line := m.Append(nil)
			if len(line) > MaxLine {
				t.Errorf("%T: %d bytes", m, len(line))
			}
			if _, err := DecodeWorker(line[:len(line)-1]); err != nil {
				t.Errorf("%q: %v", line, err)
			}
		}
	})
}

// FuzzReader finds the same lines however the stream is cut, here with short ones.
func FuzzReader(f *testing.F) {
	const longest = 16
	for _, seed := range []string{
		"", "\n", "one\n\ntwo\r\nthree", "0123456789abcdef", "0123456789abcde\ny\n", "x\n0123456789abcdef\ny\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		lines, err := drain(newReader(bytes.NewReader(stream), longest))
		for _, cut := range []func(io.Reader) io.Reader{iotest.OneByteReader, iotest.HalfReader, iotest.DataErrReader} {
			again, errAgain := drain(newReader(cut(bytes.NewReader(stream)), longest))
			if !cmp.Equal(lines, again) || !sameEnd(err, errAgain) {
				t.Errorf("%q, %v and %q, %v", lines, err, again, errAgain)
			}
		}
		rest := stream
		for _, line := range lines {
			if len(line) >= longest || !bytes.HasPrefix(rest, []byte(line+"\n")) {
				t.Fatalf("%q is not next in %q", line, rest)
			}
			rest = rest[len(line)+1:]
		}
		checkEnd(t, rest, longest, err)
	})
}

func sameEnd(a, b error) bool {
	return a == b || isCode(a, CodeLineTooLong) && isCode(b, CodeLineTooLong)
}

// checkEnd knows from what is left how reading must have ended.
func checkEnd(t *testing.T, rest []byte, longest int, err error) {
	t.Helper()
	newline := bytes.IndexByte(rest, '\n')
	long := newline >= longest || newline < 0 && len(rest) >= longest
	switch {
	case long != isCode(err, CodeLineTooLong), (len(rest) == 0) != (err == io.EOF):
		t.Errorf("%d bytes are left: %v", len(rest), err)
	case newline >= 0 && !long:
		t.Errorf("a line was not read: %v", err)
	}
}
