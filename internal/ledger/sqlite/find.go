package sqlite

import "database/sql/driver"

// A row is found by its id in the tail, then in the index. The tail first: what leaves it is in the index by then.
const (
	selectFresh = `SELECT number, doc FROM calls WHERE number = ? AND id = ?`
	selectKnown = `SELECT number, doc FROM ids JOIN calls ON number = call WHERE ids.id = ?`
	// selectBeside finds a row beside the process that writes: its tail is not ours, so the newest rows are searched in the file. One
	// statement is one instant, in which a row is either in the index or above it.
	selectBeside = selectKnown + ` UNION ALL SELECT calls.number, doc FROM history JOIN calls ON calls.number = history.call
		WHERE history.number > (SELECT indexed FROM ledger) AND history.seq = 1 AND calls.id = ? LIMIT 1`
)

// find returns number and doc of the row of an id; nil when there is none.
func (l *Ledger) find(p prepare, id string) ([]driver.Value, error) {
	if l.options.ReadOnly {
		return p.one(selectBeside, id, id)
	}
	switch number, fresh, absent := l.tail.number(id); {
	case absent:
		return nil, nil
	case fresh:
		return p.one(selectFresh, number, id)
	default:
		return p.one(selectKnown, id)
	}
}

// rowNumber returns the number of the row of an id; 0, which no row has, when there is none.
func (l *Ledger) rowNumber(p prepare, id string) (int64, error) {
	if number, fresh, absent := l.tail.number(id); fresh || absent {
		return number, nil
	}
	row, err := p.one(selectIDCall, id)
	if err != nil || row == nil {
		return 0, err
	}
	return numberOf(row[0]), nil
}
