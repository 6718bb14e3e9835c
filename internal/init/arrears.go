package pid1

import "time"

// arrearsLimit is how long exits may come before the orphans. It is time for tens of
// thousands of them: a storm that lasts longer may have no end.
const arrearsLimit = time.Second

// Arrears are exits that wait because the budget did not allow to take them.
type arrears struct {
	since time.Time // zero: there is none
}

// first says whether the exits come before the orphans. Those who wait to be reaped are
// our children as well, and to read the thousands of a storm one by one, only to find
// that each has ended, would keep a SIGTERM waiting for a tenth of a second.
func (a *arrears) first(exitsWait bool, now time.Time) bool {
	switch {
	case !exitsWait:
		a.since = time.Time{}
		return false
	case a.since.IsZero():
		a.since = now
	}
	if now.Sub(a.since) < arrearsLimit {
		return true
	}
	a.since = now // the orphans have one turn
	return false
}
