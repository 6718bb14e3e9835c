// Package policy holds rules about the code that no compiler knows, as ordinary
// tests: who may import what, which calls are nobody's, how packages are
// commented, how long files are. Each rule names its reason, and each has a test
// which shows that a violation is found.
package policy
