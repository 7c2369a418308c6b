package app

// Config is the one configuration file. Members are read strictly: an unknown key, a wrong type or a value out of range is
// refused with its line and column before anything is opened. Strings that hold a duration take Go's form or whole days ("30d").
type Config struct {
	// Production refuses endpoint overrides and test credentials. It is the default.
	Production *bool    `yaml:"production"`
	Ledger     Ledger   `yaml:"ledger"`
	Identity   Identity `yaml:"identity"`
	Token      Token    `yaml:"token"`
	Secrets    Secrets  `yaml:"secrets"`
	Connect    Connect  `yaml:"connect"`
	SQS        SQS      `yaml:"sqs"`
	// DefaultProfile is used for requests that name none. With one profile it is that one.
	DefaultProfile string             `yaml:"default_profile"`
	Profiles       map[string]Profile `yaml:"profiles"`
	Producers      []Producer         `yaml:"producers"`
	Mappings       map[string]Mapping `yaml:"mappings"`
	Destinations   Destinations       `yaml:"destinations"`
	Holding        Holding            `yaml:"holding"`
	Limits         Limits             `yaml:"limits"`
	DoNotCall      DoNotCall          `yaml:"do_not_call"`
	Pacing         Pacing             `yaml:"pacing"`
	Sweep          Sweep              `yaml:"sweep"`
	Webhooks       []Webhook          `yaml:"webhooks"`
	Wake           Wake               `yaml:"wake"`
	Lambda         Lambda             `yaml:"lambda"`
	Serve          Serve              `yaml:"serve"`
	Access         Access             `yaml:"access"`
	Log            Log                `yaml:"log"`
	Metrics        MetricsConfig      `yaml:"metrics"`

	source *source // for line and column; nil for a configuration made in code
}

// Ledger chooses the store of calls.
type Ledger struct {
	Driver       string `yaml:"driver"`       // none (default), sqlite, postgres, dynamodb, or another the binary was built with
	Path         string `yaml:"path"`         // sqlite: a file on a local disk
	Witness      string `yaml:"witness"`      // sqlite: a file outside the ledger's directory; default: in the user's state directory; postgres: required
	DSNFile      string `yaml:"dsn_file"`     // postgres: a file with the connection string, readable by its owner only
	DSNSecret    string `yaml:"dsn_secret"`   // postgres, instead of a file: the ARN of a secret or SecureString parameter
	Spool        string `yaml:"spool"`        // facts that the ledger did not take; default: beside the ledger
	Suppressions string `yaml:"suppressions"` // off (default of dynamodb), first-20 (default of sqlite), all
	Table        string `yaml:"table"`        // dynamodb: the table's name
	Region       string `yaml:"region"`       // dynamodb: its Region; default: AWS_REGION
	Endpoint     string `yaml:"endpoint"`     // dynamodb: an emulator; needs production: false
	CreateTable  bool   `yaml:"create_table"` // dynamodb: make the table if it is absent; needs production: false
	KMSKey       string `yaml:"kms_key"`      // dynamodb: encrypt calls with data keys of this KMS key, an ARN; off: do not, any more
	ReadFirst    *bool  `yaml:"read_first"`   // look a key up before its row is created; default true, with dynamodb only if tokens are kept unique
	OnPoison     string `yaml:"on_poison"`    // return (default) or park: what becomes of a record that cannot be read
	Remember     *int   `yaml:"remember"`     // placed calls whose duplicates are answered from memory; default 1000 with dynamodb, else 0
}

// Identity chooses how ids become row ids. It cannot change in the life of a ledger.
type Identity struct {
	Mode      string `yaml:"mode"`       // plain (default) or hmac
	KeyFile   string `yaml:"key_file"`   // hmac: a file of at least 32 bytes, readable by its owner only
	KeySecret string `yaml:"key_secret"` // hmac, instead of a file: the ARN of a secret or SecureString parameter
}

// Token chooses the recipe of client tokens (design.md section 4; docs/tokens.md).
type Token struct {
	Recipe    string `yaml:"recipe"`
	Template  string `yaml:"template"`
	KeyFile   string `yaml:"key_file"`
	KeySecret string `yaml:"key_secret"`
}

// Secrets holds the settings of what reads key_secret.
type Secrets struct {
	Endpoint string `yaml:"endpoint"` // an emulator; needs production: false
}

// Connect holds the settings of the dialer.
type Connect struct {
	Endpoint string `yaml:"endpoint"` // an emulator; needs production: false
	Timeout  string `yaml:"timeout"`  // of one wire request, 10s to 15s
}

// SQS holds the settings of the queues that a command is told to read.
type SQS struct {
	Endpoint string `yaml:"endpoint"` // an emulator; needs production: false
}

// Profile is a named set of dialing settings as the file holds them.
type Profile struct {
	Kind          string            `yaml:"kind"` // voice (default), chat or task
	Region        string            `yaml:"region"`
	InstanceID    string            `yaml:"instance_id"`
	ContactFlowID string            `yaml:"contact_flow_id"`
	QueueID       string            `yaml:"queue_id"`
	SourcePhone   string            `yaml:"source_phone"`
	RingTimeout   string            `yaml:"ring_timeout"`
	Window        string            `yaml:"window"`        // a duration or forever (default)
	WindowReopen  string            `yaml:"window_reopen"` // dated (default) or any
	Resend        string            `yaml:"resend"`        // token (default of voice), evidence (default of the others), never
	MaxAttempts   int               `yaml:"max_attempts"`
	Deadline      string            `yaml:"deadline"`
	LongestCall   string            `yaml:"longest_call"`
	RequireDated  bool              `yaml:"require_requested_at"`
	Mark          string            `yaml:"mark"`   // on (default) or off
	Markup        string            `yaml:"markup"` // escape (default) or raw
	Paused        bool              `yaml:"paused"`
	Outcome       string            `yaml:"outcome"` // track (default of voice with a ledger) or off
	Hours         []string          `yaml:"hours"`
	Closed        []string          `yaml:"closed"`
	TimeZone      string            `yaml:"time_zone"`
	Urgent        string            `yaml:"urgent"` // off (default), on, override_do_not_call
	Caps          string            `yaml:"caps"`   // on (default) or off
	Fingerprint   FingerprintConfig `yaml:"fingerprint"`
	Recall        Recall            `yaml:"recall"`

	DisplayName     string `yaml:"display_name"`     // chat
	InitialMessage  string `yaml:"initial_message"`  // chat
	Description     string `yaml:"description"`      // task
	TaskTemplateID  string `yaml:"task_template_id"` // task
	QuickConnectID  string `yaml:"quick_connect_id"` // task
	ContactDuration string `yaml:"contact_duration"` // chat, task
}

// FingerprintConfig names what stays out of the fingerprint.
type FingerprintConfig struct {
	IgnoreAttributes []string `yaml:"ignore_attributes"`
}

// Producer names a queue, topic or rule and the key space of its ids.
type Producer struct {
	ARN      string `yaml:"arn"`
	KeySpace string `yaml:"key_space"`
	Mapping  string `yaml:"mapping"` // one of mappings
}

// Pacing is the bucket of StartOutboundVoiceContact, per Region. The other kinds have buckets of the same size.
type Pacing struct {
	PerSecond *float64 `yaml:"per_second"` // default 2
	Burst     int      `yaml:"burst"`      // default 5
	Patience  string   `yaml:"patience"`   // how long a delivery waits for a slot; default 10s
	Shared    *bool    `yaml:"shared"`     // the bucket lies in the ledger, for all its processes; default: on PostgreSQL it does
}

// SharesPace reports whether all processes on the ledger share the buckets of what Amazon Connect is asked.
func (c *Config) SharesPace() bool {
	if c.Pacing.Shared == nil {
		return c.Ledger.Driver == driverPostgres
	}
	return *c.Pacing.Shared
}

// Sweep is the sweeper of a process that lives.
type Sweep struct {
	Every string `yaml:"every"` // default 30s
	Limit int    `yaml:"limit"` // rows per sweep; default 100
}

// Wake is where hints go that a call will be due (docs/wake.md). Without it the sweep alone finds what is due.
type Wake struct {
	Engine        string `yaml:"engine"`         // sqs (default with queue_url) or river
	Path          string `yaml:"path"`           // river on SQLite: the file of jobs; default: the ledger's path with .hints
	QueueURL      string `yaml:"queue_url"`      // of a standard queue that feeds the function
	QueueARN      string `yaml:"queue_arn"`      // default: made of queue_url and Region
	RoleARN       string `yaml:"role_arn"`       // what EventBridge Scheduler sends as; without it no schedules are made
	ScheduleGroup string `yaml:"schedule_group"` // default: default
	Region        string `yaml:"region"`         // default: that of queue_url, else AWS_REGION
	Endpoint      string `yaml:"endpoint"`       // an emulator; needs production: false
}

// Lambda holds the settings of the handler.
type Lambda struct {
	Concurrency   int    `yaml:"concurrency"`    // flights of one batch; default 10
	Reserve       string `yaml:"reserve"`        // nothing is started with less time left; default 15s
	BatchResponse string `yaml:"batch_response"` // partial (default), or whole for mappings without ReportBatchItemFailures
}

// Log holds the settings of the log on standard error.
type Log struct {
	Level  string `yaml:"level"`  // debug, info (default), warn, error
	Format string `yaml:"format"` // json (default) or text
}

// MetricsConfig holds the settings of the metrics that a function prints.
type MetricsConfig struct {
	Format    string `yaml:"format"`    // none or emf; default: emf in Lambda
	Namespace string `yaml:"namespace"` // of CloudWatch; default ringonce
}

// IsProduction reports whether the configuration is one for real telephones.
func (c *Config) IsProduction() bool { return c.Production == nil || *c.Production }
