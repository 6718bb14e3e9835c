package wire

import "strconv"

// maxDepth is how deep arrays and objects may be in one another. A message needs 3:
// itself, its survivors, a survivor.
const maxDepth = 4

// A scanner walks over one line of JSON (RFC 8259), strictly, without a copy. Only
// the first error is kept; after it the scanner stands at the end of the text, where
// nothing is found any more, so that callers need not look after each step.
type scanner struct {
	text  []byte
	at    int
	depth int
	first bool // the next item is the first of its array or object
	err   *Error
}

// A value is one JSON value as it was written; of a string what is between the quotes.
type value struct {
	kind    byte // its first character: " [ { t f, and 0 for all numbers
	escaped bool // a string with escapes
	text    []byte
}

func (s *scanner) fail(code Code, message string) {
	if s.err == nil {
		s.err = &Error{code, message}
	}
	s.at = len(s.text)
}

// malformed fails where the text is no JSON, and says where that is.
func (s *scanner) malformed(message string) {
	s.fail(CodeBadJSON, message+", at byte "+strconv.Itoa(s.at+1))
}

// peek is the next character. At the end it is NUL, which is nowhere legal.
func (s *scanner) peek() byte {
	if s.at == len(s.text) {
		return 0
	}
	return s.text[s.at]
}

// accept steps over c, if it is next.
func (s *scanner) accept(c byte) bool {
	if s.peek() != c {
		return false
	}
	s.at++
	return true
}

// space steps over white space. A newline is none: it ends the line. A carriage
// return is, so lines may end with both.
func (s *scanner) space() {
	for c := s.peek(); c == ' ' || c == '\t' || c == '\r'; c = s.peek() {
		s.at++
	}
}

// enter steps into an array or object, which begins with open.
func (s *scanner) enter(open byte) {
	switch {
	case !s.accept(open):
		s.malformed("want an object")
	case s.depth == maxDepth:
		s.malformed("arrays and objects are too deep in one another")
	}
	s.depth++
	s.first = true
}

// more steps to the next item of the array or object that end closes; out of it, and
// false, if there is none.
func (s *scanner) more(end byte) bool {
	first := s.first
	s.first = false
	s.space()
	switch {
	case s.err != nil:
		return false
	case s.accept(end):
		s.depth--
		return false
	case !first && !s.accept(','):
		s.malformed("want a comma or the end of an array or object")
		return false
	}
	s.space()
	return true
}

// key reads a key and the colon behind it.
func (s *scanner) key() value {
	key := s.str()
	s.space()
	if !s.accept(':') {
		s.malformed("want a colon after a key")
	}
	s.space()
	return key
}

// value reads any value, and checks what is inside of it.
func (s *scanner) value() value {
	begin := s.at
	v := value{kind: s.peek()}
	switch v.kind {
	case '"':
		return s.str()
	case '{':
		for s.enter('{'); s.more('}'); {
			s.key()
			s.value()
		}
	case '[':
		for s.enter('['); s.more(']'); {
			s.value()
		}
	case 't':
		s.literal("true")
	case 'f':
		s.literal("false")
	case 'n':
		s.literal("null")
		s.fail(CodeBadValue, "null is no value here: leave the field out")
	default:
		v.kind = '0'
		s.number()
	}
	v.text = s.text[begin:s.at]
	return v
}

func (s *scanner) literal(word string) {
	for i := range len(word) {
		if !s.accept(word[i]) {
			s.malformed("want a value")
			return
		}
	}
}

func (s *scanner) number() {
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
func (s *scanner) digits() {
	begin := s.at
	for c := s.peek(); c >= '0' && c <= '9'; c = s.peek() {
		s.at++
	}
	if s.at == begin {
		s.malformed("want a value")
	}
}

// str reads a string. The line is known to be UTF-8.
func (s *scanner) str() value {
	v := value{kind: '"'}
	if !s.accept('"') {
		s.malformed("want a string")
		return v
	}
	for begin := s.at; s.err == nil; {
		s.at += plain(s.text[s.at:])
		switch c := s.peek(); {
		case c == '"':
			v.text = s.text[begin:s.at]
			s.at++
			return v
		case c == '\\':
			v.escaped = true
			s.escape()
		case s.at == len(s.text):
			s.malformed("a string has no end")
		default:
			s.malformed("a string has a control character that is not escaped")
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
func (s *scanner) escape() {
	r, n := unescapeRune(s.text[s.at:])
	switch {
	case n == 0:
		s.malformed("a string has an escape that JSON does not know")
	case r == 0:
		s.fail(CodeBadValue, "a string has a NUL")
	case r == loneSurrogate:
		s.fail(CodeBadUTF8, "a string has half of a surrogate pair")
	default:
		s.at += n
	}
}
