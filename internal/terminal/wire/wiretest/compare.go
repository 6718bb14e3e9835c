package wiretest

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/google/go-cmp/cmp"
)

// Diff says how the worker's lines of a run differ from those of the example, as its
// document defines it: fields that vary are left out, the data is joined, the last
// `accepted` counts. Empty: they do not. The error is a run that has not the order
// of the protocol.
func (e Example) Diff(run []string) (string, error) {
	want, err := summarize(e.Worker(), e.Varies)
	if err != nil {
		return "", fmt.Errorf("the example: %w", err)
	}
	got, err := summarize(run, e.Varies)
	if err != nil {
		return "", err
	}
	return cmp.Diff(want, got), nil
}

// A summary is what two runs of one session have in common.
type summary struct {
	Rest     []map[string]any // all but data and accepted, in order
	Output   string
	Accepted float64
}

type message = map[string]any

// summarize reads the worker's lines.
func summarize(lines, varies []string) (summary, error) {
	var s summary
	for i, line := range lines {
		m := message{}
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			return s, fmt.Errorf("%q: %w", line, err)
		}
		kind, _ := m["type"].(string)
		if (kind == "ready") != (i == 0) || (kind == "end") != (i == len(lines)-1) {
			return s, fmt.Errorf("line %d of %d is %s", i+1, len(lines), kind)
		}
		if err := s.add(kind, m, varies); err != nil {
			return s, fmt.Errorf("%q: %w", line, err)
		}
	}
	return s, nil
}

func (s *summary) add(kind string, m message, varies []string) error {
	switch kind {
	case "data":
		return s.join(m)
	case "accepted":
		offset, _ := m["offset"].(float64)
		if offset <= s.Accepted {
			return errors.New("accepted does not grow")
		}
		s.Accepted = offset
		return nil
	}
	for key := range m {
		if slices.Contains(varies, kind+"."+key) {
			delete(m, key)
		}
	}
	s.Rest = append(s.Rest, m)
	return nil
}

// join takes data that goes on where the last ended.
func (s *summary) join(m message) error {
	text, _ := m["data"].(string)
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return err
	}
	if offset, _ := m["offset"].(float64); int(offset) != len(s.Output) {
		return fmt.Errorf("offset after %d bytes", len(s.Output))
	}
	s.Output += string(data)
	return nil
}
