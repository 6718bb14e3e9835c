package config

// didYouMean is the end of a message about a word that is not known: the
// nearest of the known ones, or nothing if none is near.
func didYouMean(word string, known []string) string {
	near, ok := nearest(word, known)
	if !ok {
		return ""
	}
	return "; did you mean " + near + "?"
}

// nearest finds the known word with the fewest typing errors to word. A third of
// the letters may be wrong, and at least one.
func nearest(word string, known []string) (string, bool) {
	const longest = 64 // no name here is half as long
	if len(word) > longest {
		return "", false
	}
	best, found := max(1, len(word)/3)+1, ""
	for _, candidate := range known {
		if d := distance(word, candidate); d < best {
			best, found = d, candidate
		}
	}
	return found, found != ""
}

// distance counts the letters to insert, delete, replace or swap with their
// neighbour that turn a into b (optimal string alignment).
func distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, last, row = last, row, before
		row[0] = i
		for j := 1; j <= len(b); j++ {
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+differ(a[i-1], b[j-1]))
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return row[len(b)]
}

func differ(a, b byte) int {
	if a == b {
		return 0
	}
	return 1
}
