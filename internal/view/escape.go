package view

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Escaped is text that a terminal shows as it is: what is no printable character, of
// UTF-8 or at all, is written as Go writes it in a string. A backslash is doubled, so
// that nothing else looks like that.
func Escaped(text string) string {
	q := strconv.Quote(text)
	return strings.ReplaceAll(q[1:len(q)-1], `\"`, `"`)
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
