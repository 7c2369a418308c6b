package cli

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/connectemu/deliver"
)

// eventSink is where contact events go, nil when there is no target. Requests are signed with the credentials of the environment, or
// else with the emulator's.
func (x *emulatorCommand) eventSink(e *environment) (connectemu.EventSink, error) {
	if len(x.EventsTo) == 0 {
		return nil, nil //nolint:nilnil // no sink is the usual case, as in connectemu.Config
	}
	options := deliver.Options{Region: x.Region, AllowNonLoopback: x.AllowNonLoopback}
	if key, ok := e.LookupEnv("AWS_ACCESS_KEY_ID"); ok {
		options.AccessKey = key
		options.SecretKey, _ = e.LookupEnv("AWS_SECRET_ACCESS_KEY")
		options.SessionToken, _ = e.LookupEnv("AWS_SESSION_TOKEN")
	}
	return deliver.To(x.EventsTo, options)
}

// flowFunction is what flows invoke, nil when they invoke nothing.
func (x *emulatorCommand) flowFunction() (connectemu.FlowFunction, error) {
	if x.FlowFunction == "" {
		return nil, nil //nolint:nilnil // no function is the usual case, as in connectemu.Config
	}
	return deliver.Function(x.FlowFunction, deliver.Options{AllowNonLoopback: x.AllowNonLoopback})
}

// keys reads NUMBER=KEYS.
func (x *emulatorCommand) keys() (map[string]string, error) {
	keys := make(map[string]string, len(x.Keys))
	for _, text := range x.Keys {
		number, pressed, found := strings.Cut(text, "=")
		if !found || pressed == "" {
			return nil, errNoKeys
		}
		keys[number] = pressed
	}
	return keys, nil
}

var errNoKeys = errors.New("a phone without keys")

// phones reads NUMBER=FATE.
func phones(texts []string) (map[string]connectemu.Fate, error) {
	fates := make(map[string]connectemu.Fate, len(texts))
	for _, text := range texts {
		number, word, _ := strings.Cut(text, "=")
		fate, err := connectemu.ParseFate(word)
		if err != nil {
			return nil, err
		}
		fates[number] = fate
	}
	return fates, nil
}

func offOrDuration(text string) (time.Duration, error) {
	if text == "off" {
		return connectemu.Off, nil
	}
	d, err := time.ParseDuration(text)
	if err == nil && d <= 0 {
		return 0, strconv.ErrRange
	}
	return d, err
}

// rate reads N or N/BURST; the empty text is the default.
func rate(text string) (connectemu.Rate, error) {
	switch text {
	case "":
		return connectemu.Rate{}, nil
	case "off":
		return connectemu.Unlimited, nil
	}
	perSecond, burst, hasBurst := strings.Cut(text, "/")
	r := connectemu.Rate{Burst: 1}
	var err error
	if r.PerSecond, err = strconv.ParseFloat(perSecond, 64); err != nil || !(r.PerSecond > 0) {
		return r, strconv.ErrSyntax
	}
	if hasBurst {
		if r.Burst, err = strconv.Atoi(burst); err != nil || r.Burst < 1 {
			return r, strconv.ErrSyntax
		}
	}
	return r, nil
}
