package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// reference says what is wrong with a line, in another way than the package does:
// encoding/json for the syntax, the JSON Schema for the values, and here what both
// of them let pass. The two must agree on every line.
func reference(line []byte, schema func([]byte) error) error {
	switch {
	case len(line) >= MaxLine:
		return errors.New("too long")
	case !utf8.Valid(line):
		return errors.New("no UTF-8")
	case bytes.IndexByte(line, '\n') >= 0:
		return errors.New("two lines")
	case !json.Valid(line):
		return errors.New("no JSON")
	}
	if err := surrogates(line); err != nil {
		return err
	}
	if err := tokens(line); err != nil {
		return err
	}
	return schema(line)
}

// escapes are those of a valid JSON text, which has backslashes in strings only.
var escapes = regexp.MustCompile(`\\(?:u([0-9a-fA-F]{4})|[^u])`)

// surrogates finds halves of pairs, which encoding/json replaces.
func surrogates(line []byte) error {
	high, end := rune(0), 0 // a first half, and where its escape ends
	for _, at := range escapes.FindAllSubmatchIndex(line, -1) {
		unit := rune(0)
		if at[2] >= 0 {
			n, err := strconv.ParseUint(string(line[at[2]:at[3]]), 16, 16)
			if err != nil {
				return err
			}
			unit = rune(n)
		}
		low := unit >= 0xdc00 && unit <= 0xdfff
		if (high != 0) != low || low && at[0] != end {
			return errors.New("half of a surrogate pair")
		}
		high, end = 0, at[1]
		if utf16.IsSurrogate(unit) && !low {
			high = unit
		}
	}
	if high != 0 {
		return errors.New("half of a surrogate pair")
	}
	return nil
}

// plainInteger is the one form of an integer.
var plainInteger = regexp.MustCompile(`^(0|[1-9][0-9]*)$`)

// tokens finds keys that are there twice, numbers in another form, null.
func tokens(line []byte) error {
	in := json.NewDecoder(bytes.NewReader(line))
	in.UseNumber()
	if err := item(in); err != nil {
		return err
	}
	if _, err := in.Token(); err != io.EOF {
		return errors.New("more than one value")
	}
	return nil
}

// item reads one value.
func item(in *json.Decoder) error {
	token, err := in.Token()
	if err != nil {
		return err
	}
	switch token := token.(type) {
	case nil:
		return errors.New("null")
	case json.Number:
		if !plainInteger.MatchString(token.String()) {
			return fmt.Errorf("the number %s", token)
		}
	case json.Delim:
		return items(in, token == '{')
	}
	return nil
}

// items reads an object or array to its end.
func items(in *json.Decoder, object bool) error {
	keys := map[string]bool{}
	for in.More() {
		if object {
			token, err := in.Token()
			if err != nil {
				return err
			}
			key := token.(string)
			if keys[key] {
				return fmt.Errorf("two of %q", key)
			}
			keys[key] = true
		}
		if err := item(in); err != nil {
			return err
		}
	}
	_, err := in.Token()
	return err
}
