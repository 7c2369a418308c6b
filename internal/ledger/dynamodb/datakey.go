package dynamodb

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"errors"
	"fmt"
	"sync/atomic"

	awsdynamodb "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ringonce/ringonce/internal/call"
)

// dataKey is an open data key.
type dataKey struct {
	id     string
	aead   cipher.AEAD // makes its nonces itself, of 96 random bits
	period int64       // and slot: of a key that is written with
	slot   int64
	used   atomic.Int64
}

// readingKey returns the key that a stored blob names.
func (l *Ledger) readingKey(ctx context.Context, id string) (*dataKey, error) {
	if k, ok := l.keyring.open.get(id); ok {
		return k, nil
	}
	return patiently(ctx, keyPatience, func(ctx context.Context) (*dataKey, error) {
		done, err := l.keyring.wait(ctx)
		if err != nil {
			return nil, err
		}
		defer done()
		return l.find(ctx, id)
	})
}

// find returns a data key that the table has; errKeyLost is in the chain of the error when it has not. The turn must be held.
func (l *Ledger) find(ctx context.Context, id string) (*dataKey, error) {
	if k, ok := l.keyring.open.get(id); ok {
		return k, nil
	}
	it, err := l.fetch(ctx, keyItem(id), "read a data key")
	if errors.Is(err, call.ErrNotFound) {
		return nil, sealedAway(errKeyLost, "Restore the item from a backup of the table. Until then its calls cannot be read, and nothing is dialed for them.",
			"The data key %s is missing in the table %s.", keyItem(id), l.options.Table)
	}
	if err != nil {
		return nil, err
	}
	return l.openKey(ctx, id, it)
}

func (l *Ledger) openKey(ctx context.Context, id string, it item) (*dataKey, error) {
	if l.options.Keys == nil {
		return nil, sealedAway(errDamaged, "Give the driver a service of keys.", "The table %s holds encrypted calls and this program opens no keys.", l.options.Table)
	}
	plain, err := l.options.Keys.Open(ctx, textOf(it[keyMaster]), binaryOf(it[keySealed]), binding(textOf(it[keyTable])))
	if err != nil {
		return nil, err
	}
	return l.hold(id, plain)
}

func (l *Ledger) hold(id string, plain []byte) (*dataKey, error) {
	defer clear(plain)
	block, err := aes.NewCipher(plain)
	if err != nil {
		return nil, fmt.Errorf("data key %s: %w", keyItem(id), err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, fmt.Errorf("data key %s: %w", keyItem(id), err)
	}
	k := &dataKey{id: id, aead: aead}
	l.keyring.open.put(id, k)
	return k, nil
}

func binding(table string) map[string]string {
	return map[string]string{bindTable: table, bindPurpose: purpose}
}

// makeKey makes a data key and stores it before anything is sealed with it. Of two processes that make it at once, one keeps its own and
// the other takes that.
func (l *Ledger) makeKey(ctx context.Context, id string) (*dataKey, error) {
	plain, sealed, arn, err := l.options.Keys.Make(ctx, l.options.KMSKey, binding(l.options.Table))
	if err != nil {
		return nil, err
	}
	if err := l.markEncrypted(ctx); err != nil {
		return nil, err
	}
	in := &awsdynamodb.PutItemInput{
		TableName: &l.options.Table, ConditionExpression: &ifAbsent,
		Item: item{
			attrKey: text(keyItem(id)), keySealed: blob(sealed), keyMaster: text(arn), keyTable: text(l.options.Table),
			keyMade: number(l.options.Clock.Now().UnixNano()),
		},
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureNone,
	}
	_, err = ask(ctx, l, "store a data key", in, l.client.PutItem)
	if _, exists := lost(err); exists {
		clear(plain)
		return l.find(ctx, id)
	}
	if err != nil {
		clear(plain)
		return nil, err
	}
	return l.hold(id, plain)
}

// markEncrypted writes into the ledger's own item that calls are encrypted, once in the life of a ledger: a program that does not know
// encryption refuses the ledger from then on, and so does a configuration that does not name the key.
func (l *Ledger) markEncrypted(ctx context.Context) error {
	if l.encrypted.Load() {
		return nil
	}
	c := change{
		set: "encrypted = :e, #format = :f", condition: "attribute_exists(pk)", names: map[string]string{"#format": metaFormat},
		values: item{":e": text(l.options.KMSKey), ":f": number(sealedFormat)},
	}
	if _, err := ask(ctx, l, "mark the ledger as encrypted", c.input(l.options.Table, metaKey), l.client.UpdateItem); err != nil {
		return err
	}
	l.encrypted.Store(true)
	return nil
}
