package wire

import (
	"bytes"
	"io"
)

// A Reader cuts a stream into lines. It holds one line at most, and refuses a longer
// one before it is read to its end.
type Reader struct {
	source     io.Reader
	begin, end int   // what is read and not yet returned
	scanned    int   // where no newline is before
	failed     error // that is final
	buffer     []byte
}

// NewReader reads from source, whatever size it likes to read in.
func NewReader(source io.Reader) *Reader { return newReader(source, MaxLine) }

// newReader takes lines of at most longest bytes.
func newReader(source io.Reader, longest int) *Reader {
	return &Reader{source: source, buffer: make([]byte, longest)}
}

// Line returns the next line without its newline. It is valid, and may be written
// to, until the next call.
//
// The error is io.EOF at the end of the stream, io.ErrUnexpectedEOF if the stream ends
// within a line (what came of it is no message), an *Error with CodeLineTooLong, each
// of them again at the next call; or the source's, after which Line may be called
// again, as with a non-blocking descriptor.
func (r *Reader) Line() ([]byte, error) {
	for r.failed == nil {
		if line, ok := r.next(); ok {
			return line, nil
		}
		if r.end-r.begin == len(r.buffer) {
			r.failed = &Error{CodeLineTooLong, tooLong}
			break
		}
		if err := r.fill(); err != nil {
			return nil, err
		}
	}
	return nil, r.failed
}

// next takes a line from the buffer.
func (r *Reader) next() (line []byte, ok bool) {
	n := bytes.IndexByte(r.buffer[r.scanned:r.end], '\n')
	if n < 0 {
		r.scanned = r.end
		return nil, false
	}
	line = r.buffer[r.begin : r.scanned+n : r.scanned+n]
	r.begin = r.scanned + n + 1
	r.scanned = r.begin
	return line, true
}

// fill reads once, behind what is there; that is first moved to the front.
func (r *Reader) fill() error {
	if r.begin > 0 {
		copy(r.buffer, r.buffer[r.begin:r.end])
		r.begin, r.end, r.scanned = 0, r.end-r.begin, r.scanned-r.begin
	}
	n, err := r.source.Read(r.buffer[r.end:])
	r.end += n
	switch {
	case n > 0:
		return nil // the error, if there is one, comes again
	case err == io.EOF && r.end > 0:
		r.failed = io.ErrUnexpectedEOF
	case err == io.EOF:
		r.failed = io.EOF
	default:
		return err
	}
	return nil
}
