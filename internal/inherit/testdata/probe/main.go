package main
import ("os";"os/signal";"syscall"; "time"; "github.com/sbinit/sbinit/internal/inherit")
func main(){ c := make(chan os.Signal, 64); signal.Notify(c, syscall.SIGTERM);inherit.Release(); select { case <-c: os.Exit(42); case <-time.After(2*time.Second): os.Exit(3)} }
