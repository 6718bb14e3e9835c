package validate

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
)

// decode takes nothing that a type does not have, in the very case, and nothing twice.
func decode(manifest []byte) (*corev1.Pod, error) {
	scheme := runtime.NewScheme()
	if err := corev1.AddToScheme(scheme); err != nil {
		return nil, err
	}
	strict := json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme, scheme, json.SerializerOptions{Yaml: true, Strict: true})
	pod := &corev1.Pod{}
	_, _, err := strict.Decode(manifest, nil, pod)
	return pod, err
}

func manifest(t *testing.T, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("../kubernetes", name))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func TestKubernetes(t *testing.T) {
	paths, err := filepath.Glob("../kubernetes/*.yaml")
	if err != nil || len(paths) != 2 {
		t.Fatalf("%q, %v", paths, err)
	}
	for _, path := range paths {
		name := filepath.Base(path)
		pod, err := decode(manifest(t, name))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, fault := range podFaults(t, pod) {
			t.Errorf("%s: %s", name, fault)
		}
	}
}

// podFaults says what would not work, though the types allow it.
func podFaults(t *testing.T, pod *corev1.Pod) (faults []string) {
	t.Helper()
	volumes := map[string]bool{}
	for _, v := range pod.Spec.Volumes {
		volumes[v.Name] = true
	}
	for _, c := range slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers) {
		for _, m := range c.VolumeMounts {
			if !volumes[m.Name] {
				faults = append(faults, "no volume "+m.Name)
			}
		}
		if s := c.SecurityContext; s == nil || s.Capabilities == nil || !slices.Equal(s.Capabilities.Drop, []corev1.Capability{"ALL"}) {
			faults = append(faults, c.Name+" has capabilities")
		}
	}
	main := pod.Spec.Containers[0]
	program := main.Command[0]
	if !strings.HasSuffix(program, "/sbinit") || !slices.Equal(main.Command[1:], []string{"--"}) {
		faults = append(faults, "sbinit is not PID 1")
	}
	for _, probe := range []*corev1.Probe{main.LivenessProbe, main.ReadinessProbe} {
		if probe != nil && (probe.Exec == nil || !slices.Equal(probe.Exec.Command[:2], []string{program, "check"})) {
			faults = append(faults, "a probe is not `sbinit check`")
		}
	}
	if main.LivenessProbe == nil {
		faults = append(faults, "no liveness probe")
	}
	if share := pod.Spec.ShareProcessNamespace; share != nil && *share {
		faults = append(faults, "PID 1 is pause")
	}
	environ := map[string]string{}
	for _, v := range main.Env {
		environ[v.Name] = v.Value
	}
	patience := time.Duration(*pod.Spec.TerminationGracePeriodSeconds) * time.Second
	return append(faults, settingsFaults(t, environ, patience)...)
}

func TestKubernetesViolated(t *testing.T) {
	good := string(manifest(t, "sandbox.yaml"))
	for _, c := range []struct{ old, new string }{
		{"livenessProbe:", "livelinessProbe:"},
		{"livenessProbe:", "livenessprobe:"},
		{"kind: Pod", "kind: Sandbox"},
		{"runAsUser: 1000", "runAsUser: me"},
		{"memory: 4Gi", "memory: lots"},
		{"      image: my-sandbox\n", "      image: my-sandbox\n      image: another\n"},
		{`command: ["/sbinit", "--"]`, `command: ["/tini", "--"]`},
		{`drop: ["ALL"]`, `drop: ["KILL"]`},
		{"mountPath: /run\n", "mountPath: /run\n        - name: other\n          mountPath: /other\n"},
		{`"/sbinit", "check"]`, `"/sbinit", "stats"]`},
		{"enableServiceLinks: false", "shareProcessNamespace: true"},
		{"SBINIT_GUARD", "SBINIT_GUARDS"},
		{"value: 10s", "value: 10"},
		{"terminationGracePeriodSeconds: 30", "terminationGracePeriodSeconds: 12"},
	} {
		bad := strings.Replace(good, c.old, c.new, 1)
		if bad == good {
			t.Errorf("%q is not there", c.old)
		}
		pod, err := decode([]byte(bad))
		if err == nil && len(podFaults(t, pod)) == 0 {
			t.Errorf("%s: no fault is found", c.new)
		}
	}
}
