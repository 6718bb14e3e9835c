package wire

import (
	"strconv"
	"unicode/utf8"

	"github.com/sbinit/sbinit/internal/jsonline"
)

// maxFields is more than any object of the protocol has.
const maxFields = 16

// fields are those of one object. As the scanner, they keep the first error only, so
// that a message is read in one go, and looked at once.
type fields struct {
	jsonline.Scanner
	list  [maxFields]field
	count int
}

type field struct {
	name  []byte
	value jsonline.Value
	taken bool
}

// parse reads a line that is one object.
func (f *fields) parse(line []byte) {
	f.Scanner = jsonline.Scan(line)
	switch {
	case len(line) >= MaxLine:
		f.fail(CodeLineTooLong, tooLong)
	case !utf8.Valid(line):
		f.fail(CodeBadUTF8, "a line is not UTF-8")
	}
	f.Space()
	f.object()
	f.Space()
	if !f.AtEnd() {
		f.Malformed("there is something behind the object")
	}
}

// object reads the object that begins here.
func (f *fields) object() {
	for f.Enter('{'); f.More('}'); {
		name := f.Key().Unescaped()
		f.add(name, f.Value())
	}
}

func (f *fields) add(name []byte, v jsonline.Value) {
	switch {
	case f.Err() != nil:
	case f.find(string(name)) != nil:
		f.fail(CodeDuplicateKey, "there are two of "+quoted(name))
	case f.count == maxFields:
		f.fail(CodeUnknownField, "there are more fields than any message has")
	default:
		f.list[f.count] = field{name: name, value: v}
		f.count++
	}
}

// find returns nil if there is no such field.
func (f *fields) find(name string) *field {
	for i := range f.count {
		if string(f.list[i].name) == name {
			return &f.list[i]
		}
	}
	return nil
}

func (f *fields) has(name string) bool { return f.find(name) != nil }

// take takes a field that must be there, and be of a kind; want says which.
func (f *fields) take(name string, kind byte, want string) jsonline.Value {
	field := f.find(name)
	if field == nil {
		f.fail(CodeMissingField, "there is no "+strconv.Quote(name))
		return jsonline.Value{}
	}
	field.taken = true
	if field.value.Kind != kind {
		f.wrong(name, want)
		return jsonline.Value{}
	}
	return field.value
}

// wrong says of a field what would be right.
func (f *fields) wrong(name, want string) {
	f.fail(CodeBadValue, strconv.Quote(name)+": want "+want)
}

// done is the error of all this. Fields that nobody took are one.
func (f *fields) done() error {
	for i := range f.count {
		if !f.list[i].taken {
			f.fail(CodeUnknownField, "the message has no "+quoted(f.list[i].name))
		}
	}
	return asError(f.Err())
}

func (f *fields) fail(code Code, message string) { f.Fail(&Error{code, message}) }

// faultCodes are the codes for what is wrong with a line as such.
var faultCodes = [...]Code{jsonline.Syntax: CodeBadJSON, jsonline.NotTaken: CodeBadValue, jsonline.NotUTF8: CodeBadUTF8}

// asError makes an *Error of the scanner's.
func asError(err error) error {
	if fault, ok := err.(*jsonline.Error); ok {
		return &Error{faultCodes[fault.Fault], fault.Message}
	}
	return err
}

// nested are the fields of the object v, found in the field name.
func (f *fields) nested(name string, v jsonline.Value) *fields {
	if v.Kind != '{' {
		f.wrong(name, "an object")
	}
	inner := &fields{}
	inner.Scanner = jsonline.Scan(v.Text)
	if err := f.Err(); err != nil {
		inner.Fail(err)
	}
	inner.object()
	return inner
}

// leave ends what nested began.
func (f *fields) leave(inner *fields) {
	if err := inner.done(); err != nil {
		f.Fail(err)
	}
}

// quoted is what the caller named, for a message to people: not too long.
func quoted(name []byte) string {
	return strconv.Quote(jsonline.Cut(string(name), longestName))
}
