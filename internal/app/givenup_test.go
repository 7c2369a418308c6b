package app

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
)

// behindHooks are webhooks whose look finds the same each time.
type behindHooks struct {
	Webhooks

	found WebhookBacklog
	err   error
}

func (b behindHooks) Behind(context.Context, func(context.Context, string) error) (WebhookBacklog, error) {
	return b.found, b.err
}

// noHints are hints that nothing can be handed to.
type noHints struct{ Hints }

func (noHints) Notice(context.Context, string) error       { return errors.New("planted: no disk") }
func (noHints) NoticeBehind(context.Context, string) error { return errors.New("planted: no disk") }

func TestACallWhoseWebhooksAreGivenUpAndANoticeThatFailedAreAlarms(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		hooks  behindHooks
		notice string
		says   string
		counts map[string]int
	}{
		"given up":               {behindHooks{found: WebhookBacklog{Calls: 2, GivenUp: []string{"row-1"}}}, "", "call=row-1", map[string]int{metricGivenUp: 1, metricAlarms: 1}},
		"a look that failed":     {behindHooks{err: errors.New("planted: away")}, "", "planted: away", map[string]int{metricGivenUp: 0, metricAlarms: 1}},
		"a notice that failed":   {behindHooks{}, "row-2", "planted: no disk", map[string]int{metricGivenUp: 0, metricAlarms: 1}},
		"nothing to be told":     {behindHooks{}, "", "", map[string]int{metricGivenUp: 0, metricAlarms: 0}},
		"behind and not too far": {behindHooks{found: WebhookBacklog{Calls: 2}}, "", "", map[string]int{metricGivenUp: 0, metricAlarms: 0}},
	} {
		synctest.Test(t, func(t *testing.T) {
			var text strings.Builder
			m := &Metrics{}
			m.reset()
			a := &App{Observer: NewObserver(slog.New(slog.NewTextHandler(&text, nil)), m), webhooks: c.hooks, Hints: noHints{}, notices: &notices{rows: make(chan string, 1)}}
			a.Observer.changed = a.notices.put // a call that is given up is not told once more
			ctx, end := context.WithCancel(t.Context())
			go a.lookBehind(ctx)
			go a.passNotices(ctx)
			if c.notice != "" {
				a.notices.put(c.notice)
			}
			synctest.Wait()
			end()
			synctest.Wait()
			for metric, want := range c.counts {
				if got := m.counts[metric]; got != want {
					t.Errorf("%s: %s is %d, want %d", name, metric, got, want)
				}
			}
			if !strings.Contains(text.String(), c.says) || (c.says == "") != (text.String() == "") || c.says != "" && !strings.Contains(text.String(), "alarm=true") {
				t.Errorf("%s: logged %s", name, text.String())
			}
		})
	}
}
