package app

import "context"

// Told returns what the producer of a call is told and what of it was taken; told is false where it is told nothing.
func (a *App) Told(ctx context.Context, row string) (story WebhookStory, told bool, err error) {
	if a.webhooks == nil {
		return WebhookStory{}, false, nil
	}
	return a.webhooks.Story(ctx, row)
}

// TellAgain has an event of a call told again, and after it all that follow, also where it was given up or taken: a job does so at once, and is repeated as for
// every event. Only a call that [App.Told] has told of has any.
func (a *App) TellAgain(ctx context.Context, row, event string) error {
	if err := a.webhooks.Back(ctx, row, event); err != nil {
		return err
	}
	return a.Hints.Notice(ctx, row)
}
