// Package signals says what signals are called, takes those that are sent to
// this process, and decides what becomes of each on its way to a program:
// rewritten, dropped, held back, forwarded.
package signals
