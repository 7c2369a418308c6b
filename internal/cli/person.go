package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// person asks whoever sits before the process. Questions go to standard error, so that the output stays readable for programs.
type person struct {
	want  chan struct{} // one for each line that is needed
	lines chan string   // closed at the end of the input
	ask   io.Writer
	agree bool // consent was given by a flag, for one budget
}

func newPerson(e *environment, agree bool) *person {
	p := &person{want: make(chan struct{}), lines: make(chan string, 1), ask: e.Stderr, agree: agree}
	go func() { // a read of a terminal cannot be ended; it ends with the process
		defer close(p.lines)
		scanner := bufio.NewScanner(e.Stdin)
		for range p.want {
			if !scanner.Scan() {
				return
			}
			p.lines <- scanner.Text()
		}
	}()
	return p
}

// leave ends the reading of answers.
func (p *person) leave() { close(p.want) }

func isTerminal(r io.Reader) bool {
	file, ok := r.(*os.File)
	if !ok {
		return false
	}
	_, err := unix.IoctlGetWinsize(int(file.Fd()), unix.TIOCGWINSZ)
	return err == nil
}

// consentWord is what has to be typed.
const consentWord = "RING"

// Consent implements measure.Person.
func (p *person) Consent(ctx context.Context, rings int) (bool, error) {
	fmt.Fprintf(p.ask, "This rings your telephone at most %s over 6 days. Each is billed by Amazon Connect as an outbound call of less than a minute to your\n"+
		"country: some cents in all (the price is on the page of Amazon Connect for your Region). The number is not kept.\n", plural(rings, "time", "times"))
	if p.agree {
		p.agree = false // for what was said, and no more
		return true, nil
	}
	answer, err := p.answer(ctx, "Type "+consentWord+" to agree: ")
	return answer == consentWord, err
}

// Rang implements measure.Person.
func (p *person) Rang(ctx context.Context, about string, since time.Time) (int, error) {
	for range 3 {
		answer, err := p.answer(ctx, fmt.Sprintf("About %s: how many times has your telephone rung since %s? ", about, since.Format("15:04:05 MST on 2 January")))
		if err != nil {
			return 0, err
		}
		if n, err := strconv.Atoi(answer); err == nil && n >= 0 {
			return n, nil
		}
		fmt.Fprintln(p.ask, "Answer with a number, 0 for not at all.")
	}
	return 0, misused("The question was not answered with a number.", "Run the command again; it asks again.")
}

// Tell implements measure.Person.
func (p *person) Tell(what string) { fmt.Fprintln(p.ask, what) }

func (p *person) answer(ctx context.Context, question string) (string, error) {
	fmt.Fprint(p.ask, question)
	select {
	case p.want <- struct{}{}:
	case line, ok := <-p.lines: // of a question that was interrupted, or the end
		if !ok {
			return "", errNobody()
		}
		return strings.TrimSpace(line), nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
	select {
	case line, ok := <-p.lines:
		if !ok {
			return "", errNobody()
		}
		return strings.TrimSpace(line), nil
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

func errNobody() error {
	return failed("Nobody answered.", "Run the command again; it goes on where it stopped.")
}
