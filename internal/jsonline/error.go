package jsonline

// A Fault is a kind of error.
type Fault uint8

// What a Scanner finds.
const (
	Syntax   Fault = iota // no JSON, or too deep
	NotTaken              // JSON that is not taken here: null, and a NUL in a string
	NotUTF8               // half of a surrogate pair, which has no UTF-8
)

// An Error says what is wrong with a line.
type Error struct {
	Fault   Fault
	Message string // for people
}

func (e *Error) Error() string { return e.Message }
