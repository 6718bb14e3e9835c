package terminal

import (
	"os"
	"time"

	"github.com/sbinit/sbinit/internal/proc"
)

const (
	// soon is when descendants are counted after input or output: what was typed may
	// start some.
	soon = 100 * time.Millisecond
	// seldom is the longest time between two counts, when nothing happens.
	seldom = 5 * time.Second
	// calm is how long nothing must have been started until counts are seldom.
	calm = time.Minute
)

// A census counts the descendants of this process from time to time. Where no process
// number was given out since the last count there is nothing to count.
type census struct {
	fs       *proc.FS
	snap     proc.Snapshot
	interval time.Duration
	trusted  bool // the last number is told, as the start of the program has shown
	last     int
	moved    time.Time // when the last number was another than before
	due      time.Time // zero: nothing is counted
}

// before is called before the program starts, after once it has.
func (c *census) before() { c.last, _ = c.fs.LastPID() }

func (c *census) after(now time.Time) {
	last, err := c.fs.LastPID()
	c.trusted = err == nil && last != c.last
	c.last, c.moved, c.due = 0, now, now.Add(soon)
}

// stir is called for input and output.
func (c *census) stir(now time.Time) {
	if at := now.Add(soon); at.Before(c.due) {
		c.due = at
	}
}

// count says how many there are, if it is time to count and may have changed.
func (c *census) count(now time.Time) (n int, counted bool) {
	if c.due.IsZero() || now.Before(c.due) {
		return 0, false
	}
	c.due = now.Add(c.interval)
	if last, err := c.fs.LastPID(); c.trusted && err == nil {
		if last == c.last {
			if now.Sub(c.moved) >= calm {
				c.due = now.Add(max(c.interval, seldom))
			}
			return 0, false
		}
		c.last, c.moved = last, now
	}
	return c.below()
}

// below counts by the lists of children. Where the kernel has none it takes a walk of all
// processes, which in a crowd of sessions costs each one what they all are.
func (c *census) below() (n int, counted bool) {
	if n, err := c.fs.CountBelow(os.Getpid()); err == nil {
		return n, true
	}
	if c.snap.Take(c.fs) != nil {
		return 0, false
	}
	c.snap.Descendants(os.Getpid(), func(*proc.Stat) { n++ })
	return n, true
}

func (c *census) stop() { c.due = time.Time{} }
