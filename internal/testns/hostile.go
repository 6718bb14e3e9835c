package testns

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// A HostileProgram prints "ready", and stays.
type HostileProgram struct {
	Name string
	Argv []string
}

// HostilePrograms is the list of what whoever ends a tree of processes is tested
// with: the guard, the engine and the terminal in their TestHostile, the init's end, as
// PID 1 and as a subreaper, in its TestEndHostilePrograms. What takes more than a
// program has tests of its own:
//
//	                            guard                     init's end              engine
//	few process numbers         TestNumbersGivenOutAgain  TestEndFewNumbers       TestHostileFewNumbers
//	held by a tracer outside    TestNotContained          TestEndUntouchable      TestTreeHeldByTracer
//	fork bomb at pids.max       TestForkBomb              TestFaultPidsLimitAtEnd TestForkBomb
//	stopped, SIGTERM handlers   TestHandlersRun           TestEndCleanup          TestTree
//	random trees                TestRandomTrees           TestEndRandomTrees      TestRandomTrees
//	two killed at once          TestPairKilled
//	half-closed standard input  TestPeerSeesTheEnd
func HostilePrograms(t testing.TB) []HostileProgram {
	t.Helper()
	tool, hostile := Tool(t), Hostile(t)
	return []HostileProgram{
		{"wrappers", []string{"sh", "-c", `sh -c "sh -c '$0 sleep; :'; :"; :`, tool}},
		{"ignorer", []string{tool, "ignore", "1", "2", "3", "15"}},
		{"daemon", []string{tool, "daemon", tool, "ignore", "1", "15"}},
		{"chain", []string{tool, "chain", "2000"}},
		{"wide", []string{tool, "wide", "500"}},
		{"respawner", []string{tool, "respawn", "100000"}},
		{"watchdogs", []string{tool, "watchdogs", "100000"}},
		{"comets", []string{tool, "comets", "8", "20000"}},
		{"zombie leader", []string{hostile, "zombie-respawner", "100000"}},
		{"subreaper", []string{tool, "subreaper", tool, "daemon", tool, "ignore", "1", "15"}},
		{"siblings", []string{hostile, "siblings", "2000"}},
		{"continuers", []string{hostile, "conts", "2000"}},
		{"name", []string{tool, "name", ") Z 1 ("}},
		{"vfork", []string{tool, "vfork"}},
	}
}

func init() { Register("yard", yard) }

// Yard is the argument vector of a program which runs argv among strangers: two
// processes of the same parent, session and process group, one of which uses up
// process numbers. When argv has ended it says "status N", and stays.
func Yard(t testing.TB, argv ...string) []string {
	t.Helper()
	return Self("yard", append([]string{Tool(t), Hostile(t)}, argv...)...)
}

func yard(args []string) int {
	for _, stranger := range [][]string{{args[0], "mute"}, {args[1], "churn"}} {
		cmd := exec.Command(stranger[0], stranger[1:]...)
		cmd.Stdout = os.Stdout
		if err := cmd.Start(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 125
		}
	}
	cmd := exec.Command(args[2], args[3:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 125
	}
	cmd.Wait()
	fmt.Printf("status %d\n", cmd.ProcessState.ExitCode())
	return forever()
}

// InYard lists who came from the program in the yard: everybody but PID 1, the program
// under test, the yard, its strangers, and who entered from outside.
func (c *Container) InYard() []Process {
	all := c.Processes()
	strange := c.strange(all)
	return slices.DeleteFunc(all, func(p Process) bool {
		return p.PID == 1 || p.PPID == 0 || p.HostPID == c.pid || strange[p.PID]
	})
}

// strange are the yard, its strangers, and the children that one of these uses up.
func (c *Container) strange(all []Process) map[int]bool {
	strange, churn := map[int]bool{}, map[int]bool{}
	for _, p := range all {
		switch {
		case p.Is("yard"):
			strange[p.PID] = true
		case p.Is("churn"):
			strange[p.PID], churn[p.PID] = true, true
		}
	}
	for _, p := range all {
		if len(p.Args) == 0 && churn[p.PPID] || p.Is("mute") && strange[p.PPID] {
			strange[p.PID] = true
		}
	}
	return strange
}

// StrangersUnharmed fails the test if a stranger of the yard was signalled.
func (c *Container) StrangersUnharmed(t testing.TB) {
	t.Helper()
	mute, churn := 0, 0
	all := c.Processes()
	strange := c.strange(all)
	for _, p := range all {
		if !strange[p.PID] || !p.Alive() || p.State == 'T' || !strange[p.PPID] {
			continue
		}
		if p.Is("mute") {
			mute++
		}
		if p.Is("churn") {
			churn++
		}
	}
	if mute != 1 || churn == 0 || strings.Contains(c.Stdout(), "hit\n") {
		t.Errorf("a stranger was signalled\n%s", c.Dump())
	}
}
