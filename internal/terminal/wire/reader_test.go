package wire

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"golang.org/x/sys/unix"
)

// drain reads all lines, and the error at the end.
func drain(r *Reader) (lines []string, err error) {
	for {
		line, err := r.Line()
		if err != nil {
			return lines, err
		}
		lines = append(lines, string(line))
	}
}

func TestLines(t *testing.T) {
	const text = "one\n\ntwo\r\n" + "é\n"
	for name, source := range map[string]io.Reader{
		"whole":          strings.NewReader(text),
		"byte by byte":   iotest.OneByteReader(strings.NewReader(text)),
		"halves":         iotest.HalfReader(strings.NewReader(text)),
		"end with bytes": iotest.DataErrReader(strings.NewReader(text)),
	} {
		lines, err := drain(NewReader(source))
		if got := strings.Join(lines, "|"); got != "one||two\r|é" || err != io.EOF {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

// TestLongLine has a line at the bound and one over it.
func TestLongLine(t *testing.T) {
	longest := strings.Repeat("x", MaxLine-1)
	for name, wrap := range map[string]func(io.Reader) io.Reader{
		"whole":        func(r io.Reader) io.Reader { return r },
		"byte by byte": iotest.OneByteReader,
	} {
		lines, err := drain(NewReader(wrap(strings.NewReader("a\n" + longest + "\nb\n"))))
		if len(lines) != 3 || lines[1] != longest || err != io.EOF {
			t.Errorf("%s: %d lines, %v", name, len(lines), err)
		}
		r := NewReader(wrap(strings.NewReader("a\n" + longest + "x\nb\n")))
		lines, err = drain(r)
		if len(lines) != 1 || !isCode(err, CodeLineTooLong) {
			t.Errorf("%s: %d lines, %v", name, len(lines), err)
		}
		if _, again := r.Line(); again != err {
			t.Errorf("%s: then %v", name, again)
		}
	}
}

// TestLongLineIsNotRead refuses a line that has no end, and has read no more of it
// than a line may have.
func TestLongLineIsNotRead(t *testing.T) {
	source := &counter{source: &endless{text: []byte("x")}}
	if _, err := NewReader(source).Line(); !isCode(err, CodeLineTooLong) {
		t.Error(err)
	}
	if source.read > MaxLine {
		t.Errorf("%d bytes were read", source.read)
	}
}

type counter struct {
	source io.Reader
	read   int
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.source.Read(p)
	c.read += n
	return n, err
}

func TestUnfinishedLine(t *testing.T) {
	r := NewReader(strings.NewReader("a\nb"))
	for range 2 {
		lines, err := drain(r)
		if err != io.ErrUnexpectedEOF {
			t.Errorf("%q, %v", lines, err)
		}
	}
}

// TestReaderGoesOn loses nothing when a descriptor has nothing to read for a while.
func TestReaderGoesOn(t *testing.T) {
	r := NewReader(&hesitant{text: "one\ntwo\n"})
	var got []string
	again := 0
	for {
		line, err := r.Line()
		if err == io.EOF {
			break
		}
		if errors.Is(err, unix.EAGAIN) {
			again++
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(line))
	}
	if strings.Join(got, "|") != "one|two" || again != len("one\ntwo\n") {
		t.Errorf("%q, %d times EAGAIN", got, again)
	}
}

// hesitant says EAGAIN before each byte.
type hesitant struct {
	text  string
	ready bool
}

func (h *hesitant) Read(p []byte) (int, error) {
	h.ready = !h.ready
	if h.ready && h.text != "" {
		return 0, unix.EAGAIN
	}
	n := copy(p[:1], h.text)
	h.text = h.text[n:]
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// TestReaderKeepsLittle reads a lot in a row, without more memory.
func TestReaderKeepsLittle(t *testing.T) {
	line := Input{Data: chunk(MaxData)}.Append(nil)
	r := NewReader(&endless{text: line})
	allocs := testing.AllocsPerRun(1000, func() {
		if _, err := r.Line(); err != nil {
			t.Fatal(err)
		}
	})
	if allocs != 0 {
		t.Errorf("%v allocations a line", allocs)
	}
}

func isCode(err error, code Code) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == code
}
