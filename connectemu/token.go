package connectemu

import "time"

// tokenKey is a client token in its scope; the scope is an instance id, or empty when the account shares its tokens.
type tokenKey struct{ scope, token string }

// tokenEntry is what the emulator remembers of a token.
type tokenEntry struct {
	key     tokenKey
	created time.Time
	// contact is what the token started, nil when every start with it has failed so far.
	contact *contact
	// bound is when contact was started.
	bound time.Time
	// spent, when set, is the answer to every further start with the token.
	spent *apiError
}

// hidden reports whether the contact of the token cannot be seen yet. Without a lag it always can, also by a request that read the
// clock before the contact was started.
func (e *tokenEntry) hidden(lag time.Duration, now time.Time) bool {
	return lag > 0 && now.Sub(e.bound) < lag
}

// tokenStore remembers tokens for their validity. Its zero value is not usable; make it with newTokenStore.
type tokenStore struct {
	entries map[tokenKey]*tokenEntry
	// oldest holds entries in the order they were created, for forgetting them.
	oldest []*tokenEntry
}

func newTokenStore() tokenStore {
	return tokenStore{entries: make(map[tokenKey]*tokenEntry)}
}

// find returns the live entry of key, or nil. A token is dead from the moment its validity has passed in full.
func (s *tokenStore) find(key tokenKey, now time.Time, validity time.Duration) *tokenEntry {
	s.forget(now, validity)
	e := s.entries[key]
	if e == nil || now.Sub(e.created) >= validity {
		return nil
	}
	return e
}

// create makes a new entry for key, in place of a dead one.
func (s *tokenStore) create(key tokenKey, now time.Time) *tokenEntry {
	e := &tokenEntry{key: key, created: now}
	s.entries[key] = e
	s.oldest = append(s.oldest, e)
	return e
}

// refresh lets the validity of a token run from now.
func (s *tokenStore) refresh(e *tokenEntry, now time.Time) {
	e.created = now
	s.oldest = append(s.oldest, e) // its earlier place in the list is dropped when its turn comes
}

// forget drops entries whose validity has passed. A dead entry behind a live one, left by a clock that went back, stays for now;
// find does not return it.
func (s *tokenStore) forget(now time.Time, validity time.Duration) {
	for len(s.oldest) > 0 && now.Sub(s.oldest[0].created) >= validity {
		e := s.oldest[0]
		s.oldest[0] = nil
		s.oldest = s.oldest[1:]
		if s.entries[e.key] == e {
			delete(s.entries, e.key)
		}
	}
}

// failed notes that a start with the token of key was answered err, as effect says. A token that has started a contact keeps it.
func (s *tokenStore) failed(key tokenKey, effect TokenEffect, err *apiError, now time.Time, validity time.Duration) {
	if effect == TokenUntouched {
		return
	}
	e := s.find(key, now, validity)
	if e == nil {
		e = s.create(key, now)
	}
	if effect != TokenSpent || e.contact != nil || e.spent != nil {
		return
	}
	switch classOf(err.code) {
	case classThrottle:
		err = refuse(CodeInvalidRequest, "The client token was used by a request that was throttled.")
	case classFailure:
		err = refuse(CodeInvalidRequest, "The client token was used by a request that failed.")
	case classOther, classRefusal:
	}
	e.spent = err
}
