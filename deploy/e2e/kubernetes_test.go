//go:build e2e

package e2e

import "testing"

// asPod are the settings of deploy/kubernetes/sandbox.yaml, as the kubelet hands them to its engine.
var asPod = []string{
	"--user", "1000:1000", "--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges",
	"-e", "SBINIT_GUARD=sandbox-agent", "-e", "SBINIT_STOP_GRACE=10s", "-e", "SBINIT_LOG_FORMAT=json",
}

// emptyDir is a volume as a pod gets it: it belongs to root, and to the group that fsGroup names.
func emptyDir(t *testing.T) string {
	t.Helper()
	volume := must(t, "volume", "create")
	t.Cleanup(func() { must(t, "volume", "rm", volume) })
	runOnce(t, []string{"--volume", volume + ":/volume"}, "sh", "-c", "chown 0:1000 /volume && chmod 2777 /volume")
	return volume
}

func TestSettingsOfThePod(t *testing.T) {
	t.Parallel()
	options := append([]string{"-e", "SBINIT_ORPHANS=keep", "--volume", emptyDir(t) + ":/run:nocopy", "--volume", emptyDir(t) + ":/tmp:nocopy"}, asPod...)
	box := startRunner(t, options)
	eventually(t, settleLimit, "the liveness probe", func() bool { return docker(t, "exec", box.id, "/sbinit", "check").code == 0 })
	if out := box.sbinit(0, "sessions"); out == "" {
		t.Error("the init has no socket")
	}
	box.sbinit(0, "check", "--max-orphans", "0")
	box.orphanTwo()
	box.sbinit(1, "check", "--max-orphans", "0")
	box.sbinit(0, "check", "--max-orphans", "16")
	box.stop(30)
	box.expectExit(7)
}

// What deploy/kubernetes/foreign-image.yaml does: one container copies the file into a volume, and in the other it is
// PID 1 of an image that knows nothing of it.
func TestForeignImage(t *testing.T) {
	t.Parallel()
	volume := emptyDir(t)
	copied := runOnce(t, []string{"--volume", volume + ":/opt/sbinit", "--entrypoint", "cp"}, "/sbinit", "/opt/sbinit/sbinit")
	if copied.code != 0 {
		t.Fatalf("cp: %+v", copied)
	}
	options := []string{
		"--cap-drop", "ALL", "--security-opt", "no-new-privileges", "--volume", volume + ":/opt/sbinit:ro",
		"--entrypoint", "/opt/sbinit/sbinit", "-e", "SBINIT_SOCKET=/tmp/sbinit.sock",
	}
	box := startReady(t, options, "--", "sh", "-c", endsOnTerm)
	if init := box.exec("cat", "/proc/1/cmdline"); init[:len("/opt/sbinit/sbinit")] != "/opt/sbinit/sbinit" {
		t.Errorf("PID 1 is %q", init)
	}
	eventually(t, settleLimit, "the liveness probe", func() bool {
		return docker(t, "exec", box.id, "/opt/sbinit/sbinit", "check").code == 0
	})
	box.stop(30)
	box.expectExit(7)
}
