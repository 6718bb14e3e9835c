// Package policy holds rules about the code that no compiler knows, as ordinary
// tests: who may import what, which calls are nobody's, how packages are
// commented, how long files are; and what the documents promise: that their
// links, commands, settings, log messages and the map of the code are true. Each
// rule names its reason, and each has a test which shows that a violation is found.
package policy
