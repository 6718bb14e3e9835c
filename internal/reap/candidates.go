package reap

import "strings"

// defaultPath is searched if there is no PATH: that of musl (src/process/execvp.c).
// glibc has no /usr/local/bin in its own, though images have programs there.
const defaultPath = "/usr/local/bin:/bin:/usr/bin"

// Candidates returns the program files that execvp(3) would try for name, in order. A
// name with a '/' is a file's, not searched for. pathSet is false if the environment has no
// PATH. An empty element of it is the current directory, as is an empty PATH.
func Candidates(name, path string, pathSet bool) []string {
	if name == "" || strings.Contains(name, "/") {
		return []string{name}
	}
	if !pathSet {
		path = defaultPath
	}
	var candidates []string
	for dir := range strings.SplitSeq(path, ":") {
		if dir == "" {
			dir = "."
		}
		candidates = append(candidates, strings.TrimSuffix(dir, "/")+"/"+name)
	}
	return candidates
}
