package jsonline

import (
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// loneSurrogate stands for half of a surrogate pair: \ud83d without the \ude00
// behind it. It is no character, and has no UTF-8.
const loneSurrogate rune = -1

// Unescaped is what a string means.
func (v Value) Unescaped() []byte {
	if !v.Escaped {
		return v.Text
	}
	out := make([]byte, 0, len(v.Text))
	for rest := v.Text; len(rest) > 0; {
		if rest[0] != '\\' {
			out, rest = append(out, rest[0]), rest[1:]
			continue
		}
		r, n := unescapeRune(rest)
		out, rest = utf8.AppendRune(out, r), rest[n:]
	}
	return out
}

// unescapeRune reads the escape at the beginning of text: the character, and how
// long the escape is, 0 if it is none.
func unescapeRune(text []byte) (r rune, n int) {
	if len(text) < 2 {
		return 0, 0
	}
	switch c := text[1]; c {
	case '"', '\\', '/':
		return rune(c), 2
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	}
	r, ok := codeUnit(text)
	if !ok {
		return 0, 0
	}
	if !utf16.IsSurrogate(r) {
		return r, 6
	}
	low, _ := codeUnit(text[6:]) // what is no code unit makes no pair
	if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
		return pair, 12
	}
	return loneSurrogate, 6
}

// codeUnit reads a UTF-16 code unit, as in \u20ac.
func codeUnit(text []byte) (rune, bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	return rune(n), err == nil
}
