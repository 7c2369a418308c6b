package cli

// actorOf names who acts: the flag's word, else the user of this process.
func (e *environment) actorOf(flag string) string {
	if flag != "" {
		return flag
	}
	user, _ := e.LookupEnv("USER")
	return user
}
