package wire

import (
	"encoding/base64"
	"strconv"
	"time"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/signals"
)

// How many bytes of text the worker's messages carry. An escape makes six of one;
// all of them together stay below MaxLine.
const (
	longestID      = MaxID * utf8.UTFMax
	longestMessage = 1024
	longestName    = 48
)

// appendType begins a message.
func appendType(dst []byte, kind string) []byte {
	return appendText(append(dst, '{'), "type", kind)
}

// appendEnd ends a message.
func appendEnd(dst []byte) []byte { return append(dst, "}\n"...) }

// appendKey appends a key, with a comma unless it is the first of its object.
func appendKey(dst []byte, key string) []byte {
	if dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	dst = append(dst, '"')
	dst = append(dst, key...)
	return append(dst, `":`...)
}

func appendInteger(dst []byte, key string, n int64) []byte {
	return strconv.AppendInt(appendKey(dst, key), n, 10)
}

func appendBool(dst []byte, key string, b bool) []byte {
	return strconv.AppendBool(appendKey(dst, key), b)
}

func appendText(dst []byte, key, text string) []byte {
	return appendQuoted(appendKey(dst, key), text)
}

func appendData(dst, data []byte) []byte {
	dst = append(appendKey(dst, "data"), '"')
	return append(base64.StdEncoding.AppendEncode(dst, data), '"')
}

// appendLimit leaves a limit out that does not exist.
func appendLimit(dst []byte, key string, limit time.Duration) []byte {
	if limit <= 0 {
		return dst
	}
	return appendInteger(dst, key, milliseconds(limit))
}

// milliseconds are rounded up: a short limit is not none.
func milliseconds(d time.Duration) int64 {
	n := d.Milliseconds()
	if d > time.Duration(n)*time.Millisecond {
		n++
	}
	return n
}

func appendList(dst []byte, key string, list []string) []byte {
	dst = append(appendKey(dst, key), '[')
	for i, text := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendQuoted(dst, text)
	}
	return append(dst, ']')
}

// appendVariables appends NAME=value pairs as an object.
func appendVariables(dst []byte, key string, list []string) []byte {
	dst = append(appendKey(dst, key), '{')
	for i, variable := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		name, value := splitVariable(variable)
		dst = append(appendQuoted(dst, name), ':')
		dst = appendQuoted(dst, value)
	}
	return append(dst, '}')
}

// appendQuoted appends a JSON string in its shortest form. What is no UTF-8 becomes
// U+FFFD, the replacement character.
func appendQuoted(dst []byte, text string) []byte {
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
	if r < ' ' {
		const digits = "0123456789abcdef"
		return append(dst, '\\', 'u', '0', '0', digits[r>>4], digits[r&0xf])
	}
	return utf8.AppendRune(dst, r)
}

// cut shortens text to at most longest bytes, and cuts no character apart.
func cut(text string, longest int) string {
	if len(text) <= longest {
		return text
	}
	for longest > 0 && !utf8.RuneStart(text[longest]) {
		longest--
	}
	return text[:longest]
}

// signalName is the one name of a signal in this protocol: INT, RTMIN+3. The two that
// have no name are 32 and 33.
func signalName(sig unix.Signal) string { return signals.Name(sig)[len("SIG"):] }
