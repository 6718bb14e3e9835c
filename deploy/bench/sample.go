package main

import (
	"slices"
	"time"
)

// A sample is what was measured, in the order of the rounds.
type sample []float64

// percentile is of the sorted values, the nearest one below.
func (s sample) percentile(percent int) float64 {
	return slices.Sorted(slices.Values(s))[(len(s)-1)*percent/100]
}

func (s sample) median() float64 { return s.percentile(50) }

// over is the ratio of each round: what disturbed one round disturbed both. Samples of
// different lengths, or a zero below, have none.
func (s sample) over(base sample) sample {
	if len(s) == 0 || len(s) != len(base) || slices.Contains(base, 0) {
		return nil
	}
	var ratios sample
	for i := range s {
		ratios = append(ratios, s[i]/base[i])
	}
	return ratios
}

func microseconds(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
