package wire

import (
	"bytes"
	"encoding/base64"
	"math"
	"strconv"
	"time"
)

const (
	// maxInteger is the largest integer that every JSON decoder keeps exact
	// (RFC 8259, section 6).
	maxInteger = 1<<53 - 1

	// maxCount is the largest that a count here can be, which a 32-bit machine holds in
	// 32 bits.
	maxCount = min(maxInteger, math.MaxInt)

	// longestDuration is as many milliseconds as a time.Duration holds.
	longestDuration = (1<<63 - 1) / int64(time.Millisecond)
)

// takeText takes a text, which may be empty.
func (f *fields) takeText(name string) string {
	return string(f.take(name, '"', "a string").Unescaped())
}

// takeOptional takes a text that is not empty if it is there.
func (f *fields) takeOptional(name string) string {
	if !f.has(name) {
		return ""
	}
	text := f.takeText(name)
	if text == "" {
		f.wrong(name, "a text that is not empty")
	}
	return text
}

func (f *fields) takeBool(name string) bool {
	if field := f.find(name); field != nil && field.value.Kind == 't' {
		field.taken = true
		return true
	}
	f.take(name, 'f', "true or false")
	return false
}

// takeInteger takes decimal digits: no sign, no fraction, no exponent.
func (f *fields) takeInteger(name string, low, high int64) int64 {
	digits := f.take(name, '0', "an integer").Text
	n, err := strconv.ParseUint(string(digits), 10, 63)
	if err != nil || int64(n) < low || int64(n) > high {
		f.wrong(name, "an integer from "+strconv.FormatInt(low, 10)+" to "+strconv.FormatInt(high, 10))
	}
	return int64(n)
}

// takeCount takes a number of things.
func (f *fields) takeCount(name string) int { return int(f.takeInteger(name, 0, maxCount)) }

// takeDuration takes milliseconds. The longest that Go knows stands for longer ones.
func (f *fields) takeDuration(name string, low int64) time.Duration {
	return time.Duration(min(f.takeInteger(name, low, maxInteger), longestDuration)) * time.Millisecond
}

// takeLimit takes milliseconds, at least one. 0: there is no limit.
func (f *fields) takeLimit(name string) time.Duration {
	if !f.has(name) {
		return 0
	}
	return f.takeDuration(name, 1)
}

// takeData takes base64, and decodes it where it is: the result is shorter.
func (f *fields) takeData() []byte {
	encoded := f.take("data", '"', "base64")
	text := encoded.Unescaped()
	// Package base64 skips line breaks. Here they cannot be, but for escaped ones.
	if encoded.Escaped && bytes.ContainsAny(text, "\r\n") {
		f.fail(CodeBadBase64, notBase64)
		return nil
	}
	n, err := base64.StdEncoding.Strict().Decode(text, text)
	switch {
	case err != nil:
		f.fail(CodeBadBase64, notBase64)
	case n > MaxData:
		f.fail(CodeDataTooLong, tooMuch)
	}
	return text[:n]
}

const (
	tooLong   = "a line has more than 32768 bytes"
	tooMuch   = `"data" has more than 16384 bytes`
	notBase64 = `"data" is not base64 as RFC 4648 section 4 has it, padded and without line breaks`
)
