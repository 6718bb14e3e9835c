package terminal

import (
	"slices"
	"strconv"
)

// modes are the private modes of a terminal that a program has switched on, and would
// switch off at its end (ctlseqs of xterm, "DEC Private Mode Set"). One that is killed
// leaves them to us: the other screen, mouse reports, bracketed paste, a hidden cursor.
// Others, such as wrapping, are nobody's to reset.
type modes struct {
	on     []int // in the order in which they came
	hidden bool  // the cursor
	keypad bool  // in application mode
	margin bool  // a scrolling region was set

	at     position
	number int // being read
	list   []int
}

type position uint8

const (
	text position = iota
	escape
	sequence // after ESC [
	private  // after ESC [ ?
)

// mostParameters bounds what is kept of one sequence.
const mostParameters = 16

const cursor = 25

// resettable are cursor keys, mouse reports in all their forms, focus reports, the other
// screen in its three forms, and bracketed paste.
var resettable = []int{1, 9, 1000, 1001, 1002, 1003, 1004, 1005, 1006, 1015, 1016, 47, 1047, 1049, 2004}

// see takes what is shown, in pieces of any size.
func (m *modes) see(shown []byte) {
	for _, b := range shown {
		m.next(b)
	}
}

func (m *modes) next(b byte) {
	switch {
	case b == '\x1b':
		m.at = escape
	case m.at == escape:
		m.afterEscape(b)
	case m.at == sequence && b == '?' && m.number == 0 && len(m.list) == 0:
		m.at = private
	case m.at >= sequence && b >= '0' && b <= '9':
		m.number = min(m.number*10+int(b-'0'), 1<<16)
	case m.at >= sequence && b == ';':
		m.parameter()
	case m.at >= sequence:
		m.final(b)
	}
}

func (m *modes) afterEscape(b byte) {
	m.at, m.number, m.list = text, 0, m.list[:0]
	switch b {
	case '[':
		m.at = sequence
	case '=':
		m.keypad = true
	case '>':
		m.keypad = false
	case 'c': // a full reset
		*m = modes{list: m.list}
	}
}

func (m *modes) parameter() {
	if len(m.list) < mostParameters {
		m.list = append(m.list, m.number)
	}
	m.number = 0
}

// final is the byte that ends a sequence.
func (m *modes) final(b byte) {
	m.parameter()
	switch {
	case m.at == private && (b == 'h' || b == 'l'):
		for _, n := range m.list {
			m.set(n, b == 'h')
		}
	case m.at == sequence && b == 'r':
		m.margin = m.list[0] > 0 || len(m.list) > 1
	}
	m.at = text
}

func (m *modes) set(n int, on bool) {
	if n == cursor {
		m.hidden = !on
		return
	}
	m.on = slices.DeleteFunc(m.on, func(old int) bool { return old == n })
	if on && slices.Contains(resettable, n) {
		m.on = append(m.on, n)
	}
}

// reset switches off what is on, the last first, and ends colours.
func (m *modes) reset() (undo []byte) {
	if m.at != text {
		undo = append(undo, 0x18) // CAN: the rest of the sequence will not come
	}
	if m.margin {
		undo = append(undo, "\x1b7\x1b[r\x1b8"...) // it moves the cursor, which is put back
	}
	for _, n := range slices.Backward(m.on) {
		undo = append(undo, "\x1b[?"...)
		undo = append(strconv.AppendInt(undo, int64(n), 10), 'l')
	}
	if m.keypad {
		undo = append(undo, "\x1b>"...)
	}
	if m.hidden {
		undo = append(undo, "\x1b[?25h"...)
	}
	if len(undo) > 0 {
		undo = append(undo, "\x1b[m"...)
	}
	return undo
}
