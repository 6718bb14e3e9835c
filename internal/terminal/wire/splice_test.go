package wire

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sbinit/sbinit/internal/terminal/wire/wiretest"
)

// pieces are what a fuzzer finds too rarely by bytes.
var pieces = []string{
	`"`, `\`, `\u0000`, `\ud83d`, `\ude00`, `\n`, `,`, `:`, `{`, `}`, `[`, `]`, `null`, `true`, `-`, `-0`, `0`, `1`, `1.0`,
	`1e0`, `9007199254740991`, `9007199254740992`, `"type":`, `"type":"data",`, `,"cols":80`, `"cols":`, `"env":{"A":"b"},`,
	`"argv":["a"],`, `"id":"x",`, `"data":"AA==",`, `=`, `/`, ` `, "\r", "\n", "\x00", "\xff", "é", `"survivors":[],`,
}

// splice makes a line of parts of others.
func splice(random *rand.Rand, seeds []string) []byte {
	seed := seeds[random.IntN(len(seeds))]
	line := []byte(seed)
	for range 1 + random.IntN(3) {
		at := random.IntN(len(line) + 1)
		switch random.IntN(3) {
		case 0: // put a piece in
			line = slices.Insert(line, at, []byte(pieces[random.IntN(len(pieces))])...)
		case 1: // take some out
			line = slices.Delete(line, at, min(len(line), at+1+random.IntN(8)))
		case 2: // go on as another
			other := seeds[random.IntN(len(seeds))]
			line = append(line[:at:at], other[min(len(other), at):]...)
		}
	}
	return line
}

// TestReference agrees with the reference on many lines that are nearly right.
func TestReference(t *testing.T) {
	schema := wiretest.LoadSchema(t)
	var seeds []string
	for line := range callerLines {
		seeds = append(seeds, line)
	}
	for line := range workerLines {
		seeds = append(seeds, line)
	}
	slices.Sort(seeds)
	random := rand.New(rand.NewPCG(1, 2))
	taken := 0
	for range 30_000 {
		line := splice(random, seeds)
		want := reference(line, schema.Caller)
		if _, err := DecodeCaller(bytes.Clone(line)); (err == nil) != (want == nil) {
			t.Fatalf("to the worker %q: %v, the reference says %v", line, err, want)
		}
		wantWorker := reference(line, schema.Worker)
		if _, err := DecodeWorker(bytes.Clone(line)); (err == nil) != (wantWorker == nil) {
			t.Fatalf("from the worker %q: %v, the reference says %v", line, err, wantWorker)
		}
		if want == nil || wantWorker == nil {
			taken++
		}
	}
	if taken < 1000 {
		t.Errorf("only %d lines are legal: this finds little", taken)
	}
	t.Logf("%d lines are legal", taken)
}
