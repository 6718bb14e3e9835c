package inherit

import (
	"runtime"
	"sync"
)

// ReserveThreads makes the runtime start that many threads now, for work that it may
// need one for later: at the container's limit of processes no new one could be made,
// and a Go program dies of that. Each goroutine holds one until all have one; the
// runtime keeps them when they are let go.
func ReserveThreads(n int) {
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
