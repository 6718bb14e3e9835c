package wire

import (
	"encoding/base64"
	"time"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"github.com/sbinit/sbinit/internal/jsonline"
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
	return jsonline.AppendText(append(dst, '{'), "type", kind)
}

// appendEnd ends a message.
func appendEnd(dst []byte) []byte { return append(dst, "}\n"...) }

func appendData(dst, data []byte) []byte {
	dst = append(jsonline.AppendKey(dst, "data"), '"')
	return append(base64.StdEncoding.AppendEncode(dst, data), '"')
}

// appendLimit leaves a limit out that does not exist.
func appendLimit(dst []byte, key string, limit time.Duration) []byte {
	if limit <= 0 {
		return dst
	}
	return jsonline.AppendInteger(dst, key, milliseconds(limit))
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
	dst = append(jsonline.AppendKey(dst, key), '[')
	for _, text := range list {
		dst = jsonline.AppendQuoted(jsonline.AppendComma(dst), text)
	}
	return append(dst, ']')
}

// appendVariables appends NAME=value pairs as an object.
func appendVariables(dst []byte, key string, list []string) []byte {
	dst = append(jsonline.AppendKey(dst, key), '{')
	for _, variable := range list {
		name, value := splitVariable(variable)
		dst = append(jsonline.AppendQuoted(jsonline.AppendComma(dst), name), ':')
		dst = jsonline.AppendQuoted(dst, value)
	}
	return append(dst, '}')
}

// signalName is the one name of a signal in this protocol: INT, RTMIN+3. The two that
// have no name are 32 and 33.
func signalName(sig unix.Signal) string { return signals.Name(sig)[len("SIG"):] }
