package connectemu

import "time"

// bindLocked makes the token of a contact's request answer with the contact. entry is the live one of the token, nil when there is none.
func (s *Server) bindLocked(cfg *Config, entry *tokenEntry, c *contact, now time.Time) {
	store, _ := s.tokensOfLocked(cfg, c.request.op)
	if c.request.ClientToken == "" || store == nil {
		return
	}
	if entry == nil {
		entry = store.create(tokenKeyOf(cfg, c.request), now)
	}
	entry.contact, entry.bound = c, now
}

// tokensOfLocked returns where the tokens of an operation are remembered, and for how long; nil when they are not honored.
func (s *Server) tokensOfLocked(cfg *Config, op Operation) (*tokenStore, time.Duration) {
	settings, _, digital := cfg.digital(op)
	switch {
	case !digital || cfg.TokensShared:
		return &s.tokens, cfg.TokenValidity
	case settings.TokenValidity == Off:
		return nil, 0
	}
	store := s.digitalTokens[op]
	if store == nil {
		fresh := newTokenStore()
		store = &fresh
		s.digitalTokens[op] = store
	}
	return store, settings.TokenValidity
}
