package httpapi

// NameRecalls makes orders name their re-calls in another way: for planted defects.
func NameRecalls(o *Options, name func(order, callID string) string) { o.recallID = name }

// OnlySpace is the key space that a list asks the index for.
var OnlySpace = onlySpace
