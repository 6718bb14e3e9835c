package view

import (
	"strconv"
	"unicode/utf8"
)

// escaped is text that a terminal shows as it is: what is no printable character, of
// UTF-8 or at all, is written as Go and C write it in a string. A backslash is doubled,
// so that nothing else looks like that.
func escaped(text string) string {
	clean := true
	for _, r := range text {
		clean = clean && shown(r)
	}
	if clean {
		return text
	}
	out := make([]byte, 0, len(text)+16)
	for len(text) > 0 {
		r, n := utf8.DecodeRuneInString(text)
		switch {
		case r == utf8.RuneError && n == 1:
			out = appendHex(append(out, `\x`...), uint64(text[0]), 2)
		case shown(r):
			out = utf8.AppendRune(out, r)
		default:
			out = appendEscape(out, r)
		}
		text = text[n:]
	}
	return string(out)
}

// shown is for what stands for itself. U+FFFD stands for what is no UTF-8.
func shown(r rune) bool { return r != '\\' && r != utf8.RuneError && strconv.IsPrint(r) }

func appendEscape(out []byte, r rune) []byte {
	switch r {
	case '\\':
		return append(out, `\\`...)
	case '\n':
		return append(out, `\n`...)
	case '\r':
		return append(out, `\r`...)
	case '\t':
		return append(out, `\t`...)
	}
	switch {
	case r < utf8.RuneSelf:
		return appendHex(append(out, `\x`...), uint64(r), 2)
	case r <= 0xffff:
		return appendHex(append(out, `\u`...), uint64(r), 4)
	}
	return appendHex(append(out, `\U`...), uint64(r), 8)
}

func appendHex(out []byte, n uint64, digits int) []byte {
	const hex = "0123456789abcdef"
	for digits--; digits >= 0; digits-- {
		out = append(out, hex[n>>(4*digits)&0xf])
	}
	return out
}

// columns is how wide a text may be on a terminal: never less than it is.
func columns(text string) int {
	n := 0
	for _, r := range text {
		n += width(r)
	}
	return n
}

// width is 2 for all that is not ASCII: some of it is that wide.
func width(r rune) int {
	if r < utf8.RuneSelf {
		return 1
	}
	return 2
}

// fit cuts a text at most columns wide, and marks where it was cut.
func fit(text string, most int) string {
	if columns(text) <= most {
		return text
	}
	const mark = '+'
	n := 0
	for i, r := range text {
		if n+width(r) > most-1 {
			return text[:i] + string(mark)
		}
		n += width(r)
	}
	return text
}
