package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// memory is what a process has in memory, in bytes (proc(5), status). A page of a file that is mapped twice is counted twice by the system.
type memory struct {
	now, high int64 // VmRSS and VmHWM
	own       int64 // RssAnon: what the process cannot give back by itself
	mapped    int64 // RssFile and RssShmem: pages of files, the program and the ledger among them
}

// memory returns what the service has in memory; zero where the system does not tell.
func (p *process) memory() (m memory) {
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(p.cmd.Process.Pid), "status"))
	if err != nil {
		return m
	}
	for line := range strings.Lines(string(text)) {
		word := strings.Fields(line)
		if len(word) != 3 {
			continue
		}
		kib, _ := strconv.ParseInt(word[1], 10, 64)
		switch word[0] {
		case "VmRSS:":
			m.now = kib << 10
		case "VmHWM:":
			m.high = kib << 10
		case "RssAnon:":
			m.own = kib << 10
		case "RssFile:", "RssShmem:":
			m.mapped += kib << 10
		}
	}
	return m
}

// highest looks at the memory of a service until it is told to end, and then returns the most that was seen of each part.
func (p *process) highest() (end func() memory) {
	var most memory
	done := make(chan struct{})
	var looks sync.WaitGroup
	looks.Go(func() {
		for {
			m := p.memory()
			most = memory{now: m.now, high: max(most.high, m.high), own: max(most.own, m.own), mapped: max(most.mapped, m.mapped)}
			select {
			case <-done:
				return
			case <-time.After(50 * time.Millisecond):
			}
		}
	})
	return func() memory {
		close(done)
		looks.Wait()
		return most
	}
}
