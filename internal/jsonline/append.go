package jsonline

import (
	"strconv"
	"unicode/utf8"
)

// AppendKey appends a key, with a comma unless it is the first of its object.
func AppendKey(dst []byte, key string) []byte {
	dst = append(AppendComma(dst), '"')
	dst = append(dst, key...)
	return append(dst, `":`...)
}

// AppendComma separates an item from the one before it, if there is one.
func AppendComma(dst []byte) []byte {
	switch dst[len(dst)-1] {
	case '{', '[':
		return dst
	}
	return append(dst, ',')
}

// AppendInteger appends a field.
func AppendInteger(dst []byte, key string, n int64) []byte {
	return strconv.AppendInt(AppendKey(dst, key), n, 10)
}

// AppendBool appends a field.
func AppendBool(dst []byte, key string, b bool) []byte {
	return strconv.AppendBool(AppendKey(dst, key), b)
}

// AppendText appends a field.
func AppendText(dst []byte, key, text string) []byte {
	return AppendQuoted(AppendKey(dst, key), text)
}

// AppendQuoted appends a JSON string that can be shown on a terminal. What is no UTF-8
// becomes U+FFFD, the replacement character.
func AppendQuoted(dst []byte, text string) []byte {
	dst = append(dst, '"')
	for _, r := range text {
		dst = appendRune(dst, r)
	}
	return append(dst, '"')
}

func appendRune(dst []byte, r rune) []byte {
	switch r {
	case '"', '\\':
		return append(dst, '\\', byte(r))
	case '\b':
		return append(dst, `\b`...)
	case '\f':
		return append(dst, `\f`...)
	case '\n':
		return append(dst, `\n`...)
	case '\r':
		return append(dst, `\r`...)
	case '\t':
		return append(dst, `\t`...)
	}
	if r < ' ' || obeyed(r) {
		const digits = "0123456789abcdef"
		return append(dst, '\\', 'u', digits[r>>12], digits[r>>8&0xf], digits[r>>4&0xf], digits[r&0xf])
	}
	return utf8.AppendRune(dst, r)
}

// obeyed says whether a terminal may do something else with a character than show it:
// DEL, the C1 controls, line separators, and what turns the direction of writing.
func obeyed(r rune) bool {
	switch {
	case r < 0x7f:
		return false
	case r <= 0x9f, r == 0x200e, r == 0x200f, 0x2028 <= r && r <= 0x202e, 0x2066 <= r && r <= 0x2069, r == 0xfeff:
		return true
	}
	return false
}

// Cut shortens text to at most longest bytes, and cuts no character apart.
func Cut(text string, longest int) string {
	if len(text) <= longest {
		return text
	}
	for longest > 0 && !utf8.RuneStart(text[longest]) {
		longest--
	}
	return text[:longest]
}
