//go:build integration

package postgres_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/ringonce/ringonce/internal/pgtest"
)

// The driver asks before it writes; what happens to a writer that does not is here.
func TestTheSchemaRefusesWhatTheDriverNeverWrites(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	l := open(t, settings(t, server))
	create(t, l, "a")
	create(t, l, "b")
	const columns = "INSERT INTO calls (number, id, version, state, token, doc) VALUES "
	const entry = "INSERT INTO history (number, call, seq, op, kind, at, body, hash) VALUES "
	for statement, constraint := range map[string]string{
		columns + "(9, 'a', 1, 'received', NULL, '')":                                                                         "calls_id",
		columns + "(9, 'c', 1, 'received', 'token-a', '')":                                                                    "calls_token",
		columns + "(1, 'c', 1, 'received', NULL, '')":                                                                         "calls_pkey",
		columns + "(9, 'c', 0, 'received', NULL, '')":                                                                         "calls_version_check",
		columns + "(0, 'c', 1, 'received', NULL, '')":                                                                         "calls_number_check",
		"UPDATE calls SET token = 'token-a' WHERE id = 'b'":                                                                   "calls_token",
		entry + "(9, 1, 2, 'op-b-1', 'held', 0, '', '')":                                                                      "history_op",
		entry + "(9, 1, 1, 'op-new', 'held', 0, '', '')":                                                                      "history_call_seq",
		entry + "(1, 1, 2, 'op-new', 'held', 0, '', '')":                                                                      "history_pkey",
		entry + "(0, 1, 2, 'op-new', 'held', 0, '', '')":                                                                      "history_number_check",
		entry + "(9, 1, 0, 'op-new', 'held', 0, '', '')":                                                                      "history_seq_check",
		"INSERT INTO erased_tokens VALUES ('h', 1), ('h', 2)":                                                                 "erased_tokens_pkey",
		"INSERT INTO notes (row_id, kind, once, body) VALUES ('a', 'c', 'f', ''), ('a','c','f','')":                           "notes_once",
		"INSERT INTO suppressions VALUES ('a', 1), ('a', 2)":                                                                  "suppressions_pkey",
		"INSERT INTO parked (id, waits, body) VALUES ('p', true, ''), ('p', true, '')":                                        "parked_id",
		"INSERT INTO cells VALUES ('n', 1, ''), ('n', 2, '')":                                                                 "cells_pkey",
		"INSERT INTO cells VALUES ('n', 0, '')":                                                                               "cells_version_check",
		"INSERT INTO ledger SELECT false, id, created, mode, proof, epoch, incarnation, cluster, timeline, needs FROM ledger": "ledger_one",
		"INSERT INTO ledger SELECT * FROM ledger":                                                                             "ledger_pkey",
		"UPDATE ledger SET epoch = 0":                                                                                         "ledger_epoch_check",
		"INSERT INTO incarnations VALUES ('x', 1)":                                                                            "incarnations_epoch",
		"INSERT INTO incarnations SELECT incarnation, 2 FROM incarnations":                                                    "incarnations_pkey",
	} {
		_, err := l.Pool().Exec(t.Context(), statement)
		said, ok := errors.AsType[*pgconn.PgError](err)
		if !ok || said.ConstraintName != constraint {
			t.Errorf("%s: %v, want a violation of %s", statement, err, constraint)
		}
	}
}

// A write that PostgreSQL cannot take spoils no other of its group.
func TestAWriteThatCannotBeStoredFailsAlone(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	l := open(t, settings(t, server))
	spoiled := accepted(t, "spoiled")
	spoiled.Entry.Op = "op-\x00" // PostgreSQL has no texts with this byte
	answers := make(chan error, 40)
	for i := range 40 {
		go func() {
			w := accepted(t, "row-"+strings.Repeat("x", i+1))
			if i == 20 {
				w = spoiled
			}
			written, err := l.Create(t.Context(), w)
			if err == nil && !written.Applied {
				err = errors.New("not applied")
			}
			answers <- err
		}()
	}
	var failed []error
	for range 40 {
		if err := <-answers; err != nil {
			failed = append(failed, err)
		}
	}
	if len(failed) != 1 {
		t.Errorf("%d writes failed, want the spoiled one: %v", len(failed), failed)
	}
}
