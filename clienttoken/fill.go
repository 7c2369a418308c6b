package clienttoken

import (
	"reflect"
	"strings"
)

// Fill sets the operation's token in the input of a client of aws-sdk-go-v2, which input points to: for the operations whose parameter the
// SDK does not fill, such as CreateStack of CloudFormation, StartExecution of Step Functions or CreateService of Amazon ECS. It works for
// every operation with a token of its own and may be repeated, but replaces nothing: a parameter that is set to something else is an *Error
// with CodeParameterSet.
//
// Batches have a token for each entry; they, and an input of another operation or service, are an *Error with CodeParameterMissing.
func (r Rule) Fill(input any, token string) error {
	switch {
	case !r.Takes(token):
		return fail(CodeTokenIllegal, fieldClientToken, "the token is not legal for "+r.Service+" "+r.Operation, "make it with Rule.Token")
	case strings.Contains(r.Parameter, "[]"):
		return fail(CodeParameterMissing, fieldParameter, r.Parameter+" belongs to each entry of the batch", "set it in every entry, with a token for each")
	}
	target := reflect.ValueOf(input)
	if target.Kind() != reflect.Pointer || target.IsNil() || target.Elem().Kind() != reflect.Struct {
		return fail(CodeParameterMissing, fieldParameter, "the input is no pointer to a structure", "pass a pointer to the input of "+r.Operation)
	}
	name := strings.ToUpper(r.Parameter[:1]) + r.Parameter[1:]
	field := target.Elem().FieldByName(name)
	if !r.isInput(target.Elem().Type()) || !field.IsValid() || field.Type() != reflect.TypeFor[*string]() {
		return fail(CodeParameterMissing, fieldParameter, "the input has no "+name, "pass a pointer to the input of "+r.Operation)
	}
	if !field.IsNil() && field.Elem().String() != "" && field.Elem().String() != token {
		return fail(CodeParameterSet, fieldParameter, name+" is set already", "leave it empty, or keep it and do not call Fill")
	}
	field.Set(reflect.ValueOf(&token))
	return nil
}

// sdkServices is the path that the packages of the services have in common.
const sdkServices = "github.com/aws/aws-sdk-go-v2/service/"

// isInput reports whether a type is the input of the operation: by its name, and by its package where that is one of the SDK, since
// services share names of operations (StartJobRun, SendEmail).
func (r Rule) isInput(t reflect.Type) bool {
	service, ofSDK := strings.CutPrefix(t.PkgPath(), sdkServices)
	return t.Name() == r.Operation+"Input" && (!ofSDK || service == r.goPackage())
}
