package wire

import (
	"bytes"
	"io"
	"testing"
)

// chunk is a full `data` message's worth of bytes of all values.
func chunk(n int) []byte {
	data := make([]byte, n)
	for i := range data {
		data[i] = byte(i*7 + i>>8)
	}
	return data
}

func BenchmarkEncodeOutput(b *testing.B) {
	for _, size := range []int{1, 256, MaxData} {
		b.Run(sizeName(size), func(b *testing.B) {
			data, line := chunk(size), make([]byte, 0, MaxLine)
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				line = Output{Offset: 1 << 40, Data: data}.Append(line[:0])
			}
		})
	}
}

func BenchmarkDecodeInput(b *testing.B) {
	for _, size := range []int{1, 256, MaxData} {
		b.Run(sizeName(size), func(b *testing.B) {
			line := Input{Data: chunk(size)}.Append(nil)
			scratch := make([]byte, len(line)-1)
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				copy(scratch, line)
				if _, err := DecodeCaller(scratch); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkReadInput(b *testing.B) {
	for _, size := range []int{1, 256, MaxData} {
		b.Run(sizeName(size), func(b *testing.B) {
			line := Input{Data: chunk(size)}.Append(nil)
			r := NewReader(&endless{text: bytes.Repeat(line, max(1, 100_000/len(line)))})
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				line, err := r.Line()
				if err != nil {
					b.Fatal(err)
				}
				if _, err := DecodeCaller(line); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func sizeName(n int) string {
	return map[int]string{1: "1", 256: "256", MaxData: "16Ki"}[n]
}

// endless repeats a text, in reads of a pipe's size at most.
type endless struct {
	text []byte
	at   int
}

func (e *endless) Read(p []byte) (int, error) {
	if len(e.text) == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), 65536)], e.text[e.at:])
	e.at = (e.at + n) % len(e.text)
	return n, nil
}
