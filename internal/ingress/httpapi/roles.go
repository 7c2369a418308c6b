package httpapi

import "github.com/ringonce/ringonce/internal/access"

// The operations that take requests for calls.
const (
	opPlace = "placeCall"
	opBatch = "placeBatch"
)

// opFlow takes what a contact flow reports. It is not in the table: a role does not allow it, only a grant of its own.
const opFlow = "reportFlow"

// allowance says who may ask for an operation. Which calls they then see and touch is decided call by call.
type allowance struct {
	producers bool
	least     access.Role // of an operator
}

// allowances is the one table of who may do what (docs/api.md).
var allowances = map[string]allowance{
	opPlace:             {true, access.RoleOperate},
	opBatch:             {true, access.RoleOperate},
	"listCalls":         {true, access.RoleRead},
	"searchCalls":       {true, access.RoleRead},
	"getCall":           {true, access.RoleRead},
	"listSuppressed":    {true, access.RoleRead},
	"listAllSuppressed": {true, access.RoleRead},
	"listDoubts":        {true, access.RoleRead},
	"getDoubt":          {true, access.RoleRead},
	"listHeld":          {true, access.RoleRead},
	"explain":           {true, access.RoleRead},
	"cancelCall":        {true, access.RoleOperate},
	"acknowledgeCall":   {true, access.RoleOperate},
	opRecall:            {false, access.RoleOperate},
	"closeDoubt":        {false, access.RoleOperate},
	opRelease:           {false, access.RoleOperate},
	opDrop:              {false, access.RoleOperate},
	opReleaseMany:       {false, access.RoleAdmin},
	opDropMany:          {false, access.RoleAdmin},
	"listTold":          {false, access.RoleRead},
	"tellCall":          {false, access.RoleOperate},
	"listPauses":        {false, access.RoleRead},
	"pause":             {false, access.RoleOperate},
	"resume":            {false, access.RoleOperate},
	"listDoNotCall":     {false, access.RoleRead},
	"checkDoNotCall":    {false, access.RoleRead},
	"addDoNotCall":      {false, access.RoleAdmin},
	"removeDoNotCall":   {false, access.RoleAdmin},
	"listProducers":     {true, access.RoleRead},
	opOrder:             {false, access.RoleAdmin},
	"listOrders":        {false, access.RoleRead},
	"getOrder":          {false, access.RoleRead},
	opConfirm:           {false, access.RoleAdmin},
	"refuseOrder":       {false, access.RoleAdmin},
}

// allows reports whether the principal may ask for the operation; one that is not in the table nobody may.
func allows(op string, who access.Principal) bool {
	if op == opFlow { // whoever reports says for the person who was called that the message was understood: no operator does that, nor a producer
		return who.Kind == access.Reporter || who.Anonymous
	}
	a, known := allowances[op]
	if !known {
		return false
	}
	return who.May(a.least) || a.producers && who.Kind == access.Producer
}
