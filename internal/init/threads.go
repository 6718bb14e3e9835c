package pid1

import (
	"runtime"
	"sync"
)

// spareThreads wait for work that the runtime may need a thread for. At the
// container's limit of processes no new one could be made, and a Go program
// dies of that.
const spareThreads = 3

// reserveThreads makes the runtime start that many threads now. Each goroutine
// holds one until all have one; the runtime keeps them when they are let go.
func reserveThreads(n int) {
	var ready, released sync.WaitGroup
	hold := make(chan struct{})
	ready.Add(n)
	released.Add(n)
	for range n {
		go func() {
			defer released.Done()
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			ready.Done()
			<-hold
		}()
	}
	ready.Wait()
	close(hold)
	released.Wait()
}
