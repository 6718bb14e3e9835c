package reap
import ("testing";"time")
func TestX(t *testing.T){ 
 pid, err := Start(Spec{Paths: Candidates("cat","",false), Argv: []string{"cat","/proc/self/status"}, Mask: 1<<9, Ignored: 1<<0|1<<34, ProcessGroup: true, Env: []string{"LISTEN_PID=1"}, ListenPID:true})
 t.Log(pid, err); for { n:=0; _, none, _ := Drain(64, func(e Exit){ t.Log(e.PID, Code(e.Status)); n++}); if none {break}; time.Sleep(1e6)}
 for _, c := range []string{"nope","/etc/passwd","/etc","/etc/passwd/x"} { _, err := Start(Spec{Paths: Candidates(c,"",false), Argv: []string{c}}); t.Log(err, ExitCode(err)) }
}
