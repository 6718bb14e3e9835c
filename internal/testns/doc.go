// Package testns runs a program as PID 1 of Linux namespaces made for one test,
// so that tests of every package can use the real kernel and hostile programs
// without a container engine: the death of the namespace's PID 1 kills all of them.
//
// The test binary executes itself again to get there, so a test package that uses
// testns begins with
//
//	func TestMain(m *testing.M) { testns.Main(m) }
//
// A start goes through these processes, one of which becomes the program under test:
//
//	test ──clone(NEWPID|NEWNS[|NEWUSER])──▶ launcher: mounts, limits, ids, signals
//	                                          │ exec
//	                                          ▼
//	                                        program under test, PID 1
//
// With [Options.NotPID1] the launcher stays PID 1, and the program is its child:
//
//	test ──clone──▶ launcher, a minimal init ──fork──▶ stage ──exec──▶ program, PID 2 or more
//
// Little programs that a test wants inside are functions of the test binary
// ([Register], [Self]) or modes of one C program ([Tool]), for what Go cannot do.
package testns
