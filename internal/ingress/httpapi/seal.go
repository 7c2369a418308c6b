package httpapi

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"

	"github.com/ringonce/ringonce/internal/access"
	"github.com/ringonce/ringonce/internal/call"
)

// seals encrypt the cursors of producers. An index counts and names rows of the whole ledger in its own cursors: who could read them learned how many calls
// others ask for and, on DynamoDB, their ids; who could write them learned where in the ledger a call stands.
type seals struct {
	cells  call.Cells // nil: the key is of this process alone
	random io.Reader

	mu  sync.Mutex
	key []byte
}

// sealCell is the cell with the key that all processes of a ledger share. It does not change, so that a cursor goes on in another process and after a restart.
const sealCell = "cursorkey"

// The sizes of a seal, in bytes.
const (
	sealKeySize = 32
	sealPadding = 64 // a cursor does not tell by its length how many digits a number has
)

type sealKey struct {
	Key []byte `json:"key"`
}

// errSeal says that a text is not what the key sealed for this principal.
var errSeal = errors.New("httpapi: not sealed here")

// seal encrypts a JSON text for one principal. The same text has the same seal: its nonce is a hash of it under the key, as in RFC 5297.
func (s *seals) seal(ctx context.Context, who access.Principal, text []byte) ([]byte, error) {
	key, err := s.shared(ctx)
	if err != nil {
		return nil, err
	}
	return sealed(key, who, text)
}

func sealed(key []byte, who access.Principal, text []byte) ([]byte, error) {
	text = append(bytes.Clone(text), bytes.Repeat([]byte{' '}, sealPadding-len(text)%sealPadding)...)
	box, err := boxOf(key)
	if err != nil {
		return nil, err
	}
	mac := hmac.New(sha256.New, key)
	mac.Write(ownerOf(who))
	mac.Write(text)
	nonce := mac.Sum(nil)[:box.NonceSize()]
	return box.Seal(nonce, nonce, text, ownerOf(who)), nil
}

// open decrypts what was sealed for the principal. Its error is errSeal, or of the ledger.
func (s *seals) open(ctx context.Context, who access.Principal, content []byte) ([]byte, error) {
	key, err := s.shared(ctx)
	if err != nil {
		return nil, err
	}
	box, err := boxOf(key)
	if err != nil {
		return nil, err
	}
	if len(content) < box.NonceSize() {
		return nil, errSeal
	}
	text, err := box.Open(nil, content[:box.NonceSize()], content[box.NonceSize():], ownerOf(who))
	if err != nil {
		return nil, errSeal
	}
	return text, nil
}

// ownerOf binds a seal to whom it was made for.
func ownerOf(who access.Principal) []byte {
	return []byte(digest("cursor", string(who.Kind), who.Name, who.KeySpace))
}

func boxOf(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("httpapi: the key of the cursors: %w", err)
	}
	box, err := cipher.NewGCM(block)
	if err != nil {
		return nil, fmt.Errorf("httpapi: the key of the cursors: %w", err)
	}
	return box, nil
}

// shared returns the key. The first who needs it makes it; of two at once one wins, and the other takes the winner's. What cannot be read as a key is replaced.
func (s *seals) shared(ctx context.Context) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.key != nil {
		return s.key, nil
	}
	fresh := make([]byte, sealKeySize)
	if _, err := io.ReadFull(s.random, fresh); err != nil {
		return nil, fmt.Errorf("httpapi: no randomness for the key of the cursors: %w", err)
	}
	if s.cells == nil {
		s.key = fresh
		return fresh, nil
	}
	for range mostTries {
		cell, err := s.cells.Cell(ctx, sealCell)
		if err != nil {
			return nil, err //nolint:wrapcheck // of the port, in its own words
		}
		var kept sealKey
		if cell.Version > 0 && json.Unmarshal(cell.Data, &kept) == nil && len(kept.Key) == sealKeySize {
			s.key = kept.Key
			return s.key, nil
		}
		data, err := json.Marshal(sealKey{Key: fresh})
		if err != nil {
			return nil, fmt.Errorf("httpapi: keep the key of the cursors: %w", err)
		}
		if _, _, err = s.cells.SetCell(ctx, call.Cell{Name: sealCell, Version: cell.Version + 1, Data: data}); err != nil { // read again: also our own
			return nil, err //nolint:wrapcheck // of the port, in its own words
		}
	}
	return nil, refuse(http.StatusServiceUnavailable, string(call.CodeLedgerUnavailable), "The key of the cursors could not be kept.", "Send it again.")
}
