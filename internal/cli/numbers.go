package cli

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/ringonce/ringonce/internal/call"
)

// mostNumbers is how many numbers one command takes; a list that is longer comes in parts.
const mostNumbers = 100_000

// numbersFlags say where a command takes its numbers from. A number is personal data: whoever may list the processes of a machine sees
// arguments, so that they are for a single number on a machine of one's own.
type numbersFlags struct {
	Numbers    []string `arg:"" optional:"" name:"number" help:"Phone numbers as + and digits. Everybody on this machine can see arguments: prefer --number-file or standard input."`
	NumberFile string   `placeholder:"FILE" help:"Read the numbers from this file, one a line; - and nothing at all mean standard input. Empty lines and lines that begin with # do not count."`
}

// read returns the numbers, each once, in their order. A line that is none is refused by its place: what it holds is not printed.
func (f *numbersFlags) read(e *environment) ([]call.Phone, error) {
	if len(f.Numbers) > 0 && f.NumberFile != "" {
		return nil, misused("Numbers are given as arguments and by --number-file.", "Give them in one way.")
	}
	if len(f.Numbers) > 0 {
		return phonesOf("Argument", f.Numbers)
	}
	from := e.Stdin
	if f.NumberFile != "" && f.NumberFile != "-" {
		file, err := os.Open(f.NumberFile)
		if err != nil {
			return nil, failed("The file of --number-file cannot be read: "+err.Error()+".", "Name a file that this user may read.")
		}
		defer func() { _ = file.Close() }()
		from = file
	}
	if from == nil {
		return nil, misused("No number is given.", "Give --number-file FILE, or write the numbers to standard input.")
	}
	if isTerminal(from) {
		fmt.Fprintln(e.Stderr, "Type the numbers, one a line, and end with Ctrl-D:")
	}
	var lines []string
	scanner := bufio.NewScanner(io.LimitReader(from, mostNumbers*64))
	for scanner.Scan() {
		lines = append(lines, scanner.Text())
	}
	if err := scanner.Err(); err != nil {
		return nil, failed("The numbers cannot be read: "+err.Error()+".", "Write one number a line.")
	}
	return phonesOf("Line", lines)
}

func phonesOf(what string, texts []string) ([]call.Phone, error) {
	var phones []call.Phone
	seen := map[string]bool{}
	for i, text := range texts {
		text = strings.TrimSpace(strings.TrimPrefix(text, "\ufeff"))
		if text == "" || text[0] == '#' {
			continue
		}
		phone, err := call.ParsePhone(text)
		if err != nil {
			return nil, misused(fmt.Sprintf("%s %d is no phone number; nothing was done.", what, i+1), "Write it as + and 2 to 15 digits, without spaces or an extension.")
		}
		if !seen[phone.Wire()] {
			seen[phone.Wire()] = true
			phones = append(phones, phone)
		}
	}
	switch {
	case len(phones) == 0:
		return nil, misused("No number is given.", "Give --number-file FILE, or write the numbers to standard input.")
	case len(phones) > mostNumbers:
		return nil, misused(fmt.Sprintf("More than %d numbers are given; nothing was done.", mostNumbers), "Give them in parts.")
	}
	return phones, nil
}

// oneNumber returns the one number of --number-file, or zero without the flag.
func oneNumber(e *environment, file, fix string) (call.Phone, error) {
	if file == "" {
		return call.Phone{}, nil
	}
	numbers, err := (&numbersFlags{NumberFile: file}).read(e)
	if err == nil && len(numbers) != 1 {
		err = misused("--number-file holds more than one number.", fix)
	}
	if err != nil {
		return call.Phone{}, err
	}
	return numbers[0], nil
}
