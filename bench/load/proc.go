package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// The fields of /proc/PID/stat behind the name of the program (proc(5)), counted from 0.
const (
	fieldParent  = 1
	fieldTimes   = 11 // user and system time of the process, and of its children that ended
	timesOwn     = 2
	timesAll     = 4
	ticksASecond = 100
)

// fields returns those of a process behind the name of its program; nil where the system does not tell.
func fields(pid int) []string {
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return nil
	}
	_, after, _ := strings.Cut(string(text), ") ") // the name before may hold blanks
	words := strings.Fields(after)
	if len(words) < fieldTimes+timesAll {
		return nil
	}
	return words
}

func sum(times []string) time.Duration {
	var whole int64
	for _, text := range times {
		n, _ := strconv.ParseInt(text, 10, 64)
		whole += n
	}
	return time.Duration(whole) * time.Second / ticksASecond
}

// ticks returns the processor time of a process, and with that of its children that ended; 0 where the system does not tell.
func ticks(pid int) (own, ended time.Duration) {
	words := fields(pid)
	if words == nil {
		return 0, 0
	}
	return sum(words[fieldTimes : fieldTimes+timesOwn]), sum(words[fieldTimes : fieldTimes+timesAll])
}

// spentBy returns the processor time of a process and of all its children, as PostgreSQL has one for each connection; 0 without a process.
func spentBy(pid int) time.Duration {
	if pid == 0 {
		return 0
	}
	_, whole := ticks(pid)
	all, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return 0
	}
	for _, dir := range all {
		child, _ := strconv.Atoi(filepath.Base(dir))
		if words := fields(child); words != nil && words[fieldParent] == strconv.Itoa(pid) {
			whole += sum(words[fieldTimes : fieldTimes+timesOwn])
		}
	}
	return whole
}
