package crashtest

import "time"

// diesActing lets an operator's command die at a passage. What it did not do is done by the next one, as a person does it.
func (w *world) diesActing(name string, args ...string) {
	w.t.Helper()
	p := point{name: name, nth: 1}
	victim := w.actor(p, args...)
	w.kills = append(w.kills, p)
	if !victim.killed() {
		w.missed[name]++
		return
	}
	w.hits[name]++
}

// acts is an operator's command that must do what it says.
func (w *world) acts(args ...string) {
	w.t.Helper()
	if p := w.actor(point{}, args...); p.cmd.ProcessState.ExitCode() != 0 {
		w.find("ringonce %v ends with %d: %s", args, p.cmd.ProcessState.ExitCode(), p.log)
	}
}

// actor runs a command of a victim, whose clock is that of the run, to its end.
func (w *world) actor(p point, args ...string) *process {
	w.t.Helper()
	command := w.launch(false, p, args...)
	select {
	case <-command.done:
	case <-time.After(startUp):
		command.kill()
		w.t.Fatalf("ringonce %v does not end: %s", args, command.log)
	}
	w.last = command.log.String()
	return command
}
