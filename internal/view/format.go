package view

import (
	"strconv"
	"time"
)

// age is a duration for people: two units at most.
func age(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d < time.Minute:
		return strconv.Itoa(int(d/time.Second)) + "s"
	case d < time.Hour:
		return units(d, time.Minute, "m", time.Second, "s")
	case d < day:
		return units(d, time.Hour, "h", time.Minute, "m")
	}
	return units(d, day, "d", time.Hour, "h")
}

func units(d, big time.Duration, bigName string, small time.Duration, smallName string) string {
	return strconv.Itoa(int(d/big)) + bigName + strconv.Itoa(int(d%big/small)) + smallName
}

// memory is a number of bytes for people; unknown is a dash.
func memory(n int64) string {
	switch {
	case n < 0:
		return "-"
	case n < 1<<20:
		return strconv.FormatInt((n+1<<10-1)>>10, 10) + "K"
	case n < 1<<30:
		return tenths(n, 1<<20) + "M"
	}
	return tenths(n, 1<<30) + "G"
}

func tenths(n, unit int64) string {
	return strconv.FormatFloat(float64(n)/float64(unit), 'f', 1, 64)
}

// plural is "1 orphan", "2 orphans".
func plural(n int, noun string) string {
	text := strconv.Itoa(n) + " " + noun
	if n != 1 {
		text += "s"
	}
	return text
}

func number(n int) string { return strconv.Itoa(n) }
