package jsonline

import "strconv"

// MaxDepth is how deep arrays and objects may be in one another. What is written on
// one line here needs 3: an object, an array in it, an object in that.
const MaxDepth = 4

// A Scanner walks over one line of JSON, strictly, without a copy. The line is known to
// be UTF-8. Only the first error is kept; after it the scanner stands at the end of the
// text, where nothing is found any more, so that callers need not look after each step.
type Scanner struct {
	text  []byte
	at    int
	depth int
	first bool // the next item is the first of its array or object
	err   error
}

// A Value is one JSON value as it was written; of a string what is between the quotes.
type Value struct {
	Kind    byte // its first character: " [ { t f, and 0 for all numbers
	Escaped bool // a string with escapes
	Text    []byte
}

// Scan begins to walk over a line, or over a Value's Text.
func Scan(text []byte) Scanner { return Scanner{text: text} }

// Fail keeps an error, the caller's own, unless there is one already.
func (s *Scanner) Fail(err error) {
	if s.err == nil {
		s.err = err
	}
	s.at = len(s.text)
}

// Err is the first error: an *Error, or what Fail was given.
func (s *Scanner) Err() error { return s.err }

func (s *Scanner) fail(fault Fault, message string) { s.Fail(&Error{fault, message}) }

// Malformed fails where the text is no JSON, and says where that is.
func (s *Scanner) Malformed(message string) {
	s.fail(Syntax, message+", at byte "+strconv.Itoa(s.at+1))
}

// AtEnd says whether there is nothing more.
func (s *Scanner) AtEnd() bool { return s.at == len(s.text) }

// peek is the next character. At the end it is NUL, which is nowhere legal.
func (s *Scanner) peek() byte {
	if s.AtEnd() {
		return 0
	}
	return s.text[s.at]
}

// accept steps over c, if it is next.
func (s *Scanner) accept(c byte) bool {
	if s.peek() != c {
		return false
	}
	s.at++
	return true
}

// Space steps over white space. A newline is none: it ends the line. A carriage
// return is, so lines may end with both.
func (s *Scanner) Space() {
	for c := s.peek(); c == ' ' || c == '\t' || c == '\r'; c = s.peek() {
		s.at++
	}
}

// Enter steps into an array or object, which begins with open.
func (s *Scanner) Enter(open byte) {
	switch {
	case !s.accept(open):
		s.Malformed("want an object")
	case s.depth == MaxDepth:
		s.Malformed("arrays and objects are too deep in one another")
	}
	s.depth++
	s.first = true
}

// More steps to the next item of the array or object that end closes; out of it, and
// false, if there is none.
func (s *Scanner) More(end byte) bool {
	first := s.first
	s.first = false
	s.Space()
	switch {
	case s.err != nil:
		return false
	case s.accept(end):
		s.depth--
		return false
	case !first && !s.accept(','):
		s.Malformed("want a comma or the end of an array or object")
		return false
	}
	s.Space()
	return true
}

// Key reads a key and the colon behind it.
func (s *Scanner) Key() Value {
	key := s.str()
	s.Space()
	if !s.accept(':') {
		s.Malformed("want a colon after a key")
	}
	s.Space()
	return key
}

// Value reads any value, and checks what is inside of it.
func (s *Scanner) Value() Value {
	begin := s.at
	v := Value{Kind: s.peek()}
	switch v.Kind {
	case '"':
		return s.str()
	case '{':
		for s.Enter('{'); s.More('}'); {
			s.Key()
			s.Value()
		}
	case '[':
		for s.Enter('['); s.More(']'); {
			s.Value()
		}
	case 't':
		s.literal("true")
	case 'f':
		s.literal("false")
	case 'n':
		s.literal("null")
		s.fail(NotTaken, "null is no value here: leave the field out")
	default:
		v.Kind = '0'
		s.number()
	}
	v.Text = s.text[begin:s.at]
	return v
}

func (s *Scanner) literal(word string) {
	for i := range len(word) {
		if !s.accept(word[i]) {
			s.Malformed("want a value")
			return
		}
	}
}

func (s *Scanner) number() {
	s.accept('-')
	if !s.accept('0') {
		s.digits()
	}
	if s.accept('.') {
		s.digits()
	}
	if s.accept('e') || s.accept('E') {
		if !s.accept('+') {
			s.accept('-')
		}
		s.digits()
	}
}

// digits steps over at least one.
func (s *Scanner) digits() {
	begin := s.at
	for c := s.peek(); c >= '0' && c <= '9'; c = s.peek() {
		s.at++
	}
	if s.at == begin {
		s.Malformed("want a value")
	}
}

// str reads a string. The line is known to be UTF-8.
func (s *Scanner) str() Value {
	v := Value{Kind: '"'}
	if !s.accept('"') {
		s.Malformed("want a string")
		return v
	}
	for begin := s.at; s.err == nil; {
		s.at += plain(s.text[s.at:])
		switch c := s.peek(); {
		case c == '"':
			v.Text = s.text[begin:s.at]
			s.at++
			return v
		case c == '\\':
			v.Escaped = true
			s.escape()
		case s.AtEnd():
			s.Malformed("a string has no end")
		default:
			s.Malformed("a string has a control character that is not escaped")
		}
	}
	return v
}

// plain is how many bytes of a string mean themselves.
func plain(text []byte) int {
	for i, c := range text {
		if c < ' ' || c == '"' || c == '\\' {
			return i
		}
	}
	return len(text)
}

// escape steps over an escape that means a character.
func (s *Scanner) escape() {
	r, n := unescapeRune(s.text[s.at:])
	switch {
	case n == 0:
		s.Malformed("a string has an escape that JSON does not know")
	case r == 0:
		s.fail(NotTaken, "a string has a NUL")
	case r == loneSurrogate:
		s.fail(NotUTF8, "a string has half of a surrogate pair")
	default:
		s.at += n
	}
}
