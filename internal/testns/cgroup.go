package testns

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// cgroup is a control group; the zero value is none.
type cgroup struct {
	Dir   string
	Mount string // the mount point of its hierarchy, where a container sees its own group
}

// pidsCgroup makes a group with the given limit, removed after the test. A limit of
// 0 is no group.
func pidsCgroup(t testing.TB, limit int) (cgroup, error) {
	if limit == 0 {
		return cgroup{}, nil
	}
	mount, own, err := pidsParent("/proc/self/mountinfo", "/proc/self/cgroup")
	if err != nil {
		return cgroup{}, err
	}
	dir, err := os.MkdirTemp(filepath.Join(mount, own), "sbinit-test-")
	if err != nil {
		return cgroup{}, err
	}
	t.Cleanup(func() {
		if err := os.Remove(dir); err != nil {
			t.Errorf("testns: %v", err)
		}
	})
	return cgroup{dir, mount}, os.WriteFile(filepath.Join(dir, "pids.max"), []byte(strconv.Itoa(limit)), 0)
}

func (g cgroup) add(pid int) error {
	if g.Dir == "" {
		return nil
	}
	return os.WriteFile(filepath.Join(g.Dir, "cgroup.procs"), []byte(strconv.Itoa(pid)), 0)
}

// pidsParent finds the group below which one with the pids controller can be made, by
// mount point and path: this process's group in the controller's own hierarchy
// (cgroup v1), or the root of the unified one (v2), where the controller is handed
// down from a group that has processes only if that is the root (cgroups(7), "no
// internal processes").
func pidsParent(mountinfo, membership string) (mount, group string, err error) {
	mounts, err := cgroupMounts(mountinfo)
	if err != nil {
		return "", "", err
	}
	if mount := mounts["pids"]; mount != "" {
		own, err := ownGroup(membership, "pids")
		return mount, own, err
	}
	unified := mounts["cgroup2"]
	if unified == "" {
		return "", "", fmt.Errorf("no cgroup file system with the pids controller is mounted")
	}
	has, err := os.ReadFile(filepath.Join(unified, "cgroup.controllers"))
	if err != nil {
		return "", "", err
	}
	if !strings.Contains(" "+strings.TrimSpace(string(has))+" ", " pids ") {
		return "", "", fmt.Errorf("%s has no pids controller", unified)
	}
	return unified, "/", os.WriteFile(filepath.Join(unified, "cgroup.subtree_control"), []byte("+pids"), 0)
}

// cgroupMounts maps v1's controllers, and "cgroup2", to their mount points. The
// format is that of proc_pid_mountinfo(5): after " - " come type, source, options.
func cgroupMounts(mountinfo string) (map[string]string, error) {
	f, err := os.Open(mountinfo)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	mounts := map[string]string{}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		mount, fs, _ := strings.Cut(lines.Text(), " - ")
		place, kind := strings.Fields(mount), strings.Fields(fs)
		if len(place) < 5 || len(kind) < 3 {
			continue
		}
		switch kind[0] {
		case "cgroup2":
			mounts["cgroup2"] = place[4]
		case "cgroup":
			for _, controller := range strings.Split(kind[2], ",") {
				mounts[controller] = place[4]
			}
		}
	}
	return mounts, lines.Err()
}

// ownGroup is the path of this process's group in a v1 hierarchy (cgroups(7),
// /proc/PID/cgroup: hierarchy:controllers:path).
func ownGroup(membership, controller string) (string, error) {
	data, err := os.ReadFile(membership)
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(data)) {
		part := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(part) == 3 && strings.Contains(","+part[1]+",", ","+controller+",") {
			return part[2], nil
		}
	}
	return "", fmt.Errorf("%s names no group of %s", membership, controller)
}
