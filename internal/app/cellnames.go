package app

import (
	"context"

	"github.com/ringonce/ringonce/internal/rules"
)

// CellNames returns how the cells of persons are named: under the identity key, or without one under the id of the ledger, which is no secret
// (docs/holding.md). They are the same in every process of a ledger. It returns an error of the ledger.
func (a *App) CellNames(ctx context.Context) (rules.CellNames, error) {
	if key := a.Engine.Naming.Secret; len(key) > 0 {
		return rules.NewCellNames(key), nil
	}
	identity, err := a.Store.Ledger.Identity(ctx)
	if err != nil {
		return rules.CellNames{}, err
	}
	return rules.NewCellNames([]byte(identity.ID)), nil
}
