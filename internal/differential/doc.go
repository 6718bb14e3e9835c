// Package differential holds sbinit, called by another init's name, against that
// init: one table of scenarios is run on both, side by side, each as PID 1 of a
// namespace of its own, and what was seen of them is compared fact by fact. What
// sbinit does otherwise on purpose is in the table too, with its reason; README's
// list of differences is made from it.
//
// The package is tests alone. A scenario is a row of scenarios: what is started, and
// a play, which does something to it and notes facts. Rows are in one file for each
// init, and one for what all have in common.
package differential
