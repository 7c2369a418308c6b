package postgres

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

var (
	errStandby = errors.New("the server is a standby")
	// errShared says that a connection is not one session: a pooler gives each transaction whatever session is free.
	errShared = errors.New("a pooler shares the sessions between transactions")
	// errOptions says that settings may be lost on their way.
	errOptions = errors.New("the connection string has options, which poolers leave out")
)

// sessionSettings are set for every session unless the connection string sets them. A client that dies in the middle of a group must not hold
// the ledger's lock for long, and nobody waits for a lock for ever.
var sessionSettings = map[string]string{
	"lock_timeout":                        "10s",
	"idle_in_transaction_session_timeout": "15s",
	"tcp_user_timeout":                    "15s",
}

// atStart are the parameters that are sent when a session starts: those that poolers take, and those that PostgreSQL takes at no other time (pg_settings, contexts
// backend and superuser-backend). Poolers refuse every other one or, when they are told to, silently leave it out, so it is set in the session itself.
var atStart = []string{
	"application_name", "client_encoding", "datestyle", "timezone", "standard_conforming_strings", "options", "replication",
	"ignore_system_indexes", "jit_debugging_support", "jit_profiling_support", "local_preload_libraries", "log_connections", "log_disconnections", "post_auth_delay",
	"session_preload_libraries",
}

// mark is the setting by which each group sees that its session is the one that was set up for its connection.
const mark = "ringonce.session"

// session sets up each new connection.
type session struct {
	settings map[string]string
	probe    *pgconn.Config
	options  bool

	turn    chan struct{} // holds an element while somebody asks how a pooler works
	how     sharing       // what whoever asked found; read and written in turn
	unknown int           // how often nobody could tell
}

// establish makes every connection of a configuration, which is complete but for this, be set up and looked at before it is used.
func establish(conn *pgx.ConnConfig) {
	s := &session{settings: map[string]string{}, turn: make(chan struct{}, 1)}
	for name, value := range conn.RuntimeParams {
		if !slices.Contains(atStart, strings.ToLower(name)) {
			s.settings[name] = value
			delete(conn.RuntimeParams, name)
		}
	}
	s.options = conn.RuntimeParams["options"] != ""
	s.probe = conn.Config.Copy()
	s.probe.ValidateConnect = nil
	wanted := conn.ValidateConnect // target_session_attrs
	conn.ValidateConnect = func(ctx context.Context, c *pgconn.PgConn) error {
		if wanted != nil {
			if err := wanted(ctx, c); err != nil {
				return err
			}
		}
		return s.begin(ctx, c)
	}
}

// begin refuses a standby, since one that is promoted later would go on under the session, and a pooler by transactions, and sets the settings. Those
// come last: in a session that is shared they would be set for others.
func (s *session) begin(ctx context.Context, c *pgconn.PgConn) error {
	standby, backend, err := look(ctx, c)
	if err != nil {
		return err
	}
	if standby {
		return errStandby // a pgconn.NotPreferredError would be tried again without this
	}
	if backend != c.PID() { // a pooler has its own keys for cancellation
		if s.options {
			return errOptions
		}
		if err := s.judge(ctx, c, backend); err != nil {
			return err
		}
	}
	text, values := "SELECT set_config($1, $2, false)", [][]byte{[]byte(mark), []byte(markOf(c))}
	for _, name := range slices.Sorted(maps.Keys(s.settings)) {
		n := len(values)
		text += ", set_config($" + strconv.Itoa(n+1) + ", $" + strconv.Itoa(n+2) + ", false)"
		values = append(values, []byte(name), []byte(s.settings[name]))
	}
	return c.ExecParams(ctx, text, values, nil, nil, nil).Read().Err
}

// look asks in a transaction of its own whether the server is a standby, and which of its processes answers.
func look(ctx context.Context, c *pgconn.PgConn) (standby bool, backend uint32, err error) {
	result := c.ExecParams(ctx, "SELECT pg_is_in_recovery(), pg_backend_pid()", nil, nil, nil, nil).Read()
	if result.Err != nil {
		return false, 0, result.Err
	}
	if len(result.Rows) != 1 || len(result.Rows[0]) != 2 {
		return false, 0, errors.New("the server does not say who it is")
	}
	pid, err := strconv.ParseUint(string(result.Rows[0][1]), 10, 32)
	return string(result.Rows[0][0]) == "t", uint32(pid), err
}

// markOf returns the mark of a connection.
func markOf(c *pgconn.PgConn) string { return strconv.FormatUint(uint64(c.PID()), 10) }
