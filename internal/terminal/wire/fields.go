package wire

import (
	"strconv"
	"unicode/utf8"
)

// maxFields is more than any object of the protocol has.
const maxFields = 16

// fields are those of one object. As the scanner, they keep the first error only, so
// that a message is read in one go, and looked at once.
type fields struct {
	scanner
	list  [maxFields]field
	count int
}

type field struct {
	name  []byte
	value value
	taken bool
}

// parse reads a line that is one object.
func (f *fields) parse(line []byte) {
	f.text = line
	switch {
	case len(line) >= MaxLine:
		f.fail(CodeLineTooLong, tooLong)
	case !utf8.Valid(line):
		f.fail(CodeBadUTF8, "a line is not UTF-8")
	}
	f.space()
	f.object()
	f.space()
	if f.at < len(f.text) {
		f.malformed("there is something behind the object")
	}
}

// object reads the object that begins here.
func (f *fields) object() {
	for f.enter('{'); f.more('}'); {
		name := f.key().unescaped()
		f.add(name, f.value())
	}
}

func (f *fields) add(name []byte, v value) {
	switch {
	case f.err != nil:
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
func (f *fields) take(name string, kind byte, want string) value {
	field := f.find(name)
	if field == nil {
		f.fail(CodeMissingField, "there is no "+strconv.Quote(name))
		return value{}
	}
	field.taken = true
	if field.value.kind != kind {
		f.wrong(name, want)
		return value{}
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
	if f.err != nil {
		return f.err
	}
	return nil
}

// nested are the fields of the object v, found in the field name.
func (f *fields) nested(name string, v value) *fields {
	if v.kind != '{' {
		f.wrong(name, "an object")
	}
	inner := &fields{}
	inner.text = v.text
	inner.err = f.err
	inner.object()
	return inner
}

// leave ends what nested began.
func (f *fields) leave(inner *fields) {
	inner.done()
	f.err = inner.err
}

// quoted is what the caller named, for a message to people: not too long.
func quoted(name []byte) string {
	return strconv.Quote(cut(string(name), longestName))
}
