package secret

import (
	"encoding/json"
	"net/http"
	"slices"
)

// secret reads the value out of an answer, or says why there is none.
func (a answer) secret(at place) (Secret, error) {
	if a.status != http.StatusOK {
		return Secret{}, a.refusal(at)
	}
	var content struct {
		SecretString *string
		SecretBinary []byte // base64 in JSON
		Parameter    *struct{ Type, Value string }
	}
	if json.Unmarshal(a.body, &content) != nil { // its words could quote the value
		return Secret{}, failed("Check what stands between this process and "+at.host+".", "cannot be read from %s: the answer is not that of the service.", at.arn)
	}
	switch {
	case at.service.name == parameterStore.name && content.Parameter != nil:
		if content.Parameter.Type != "SecureString" {
			return Secret{}, failed("Store it as SecureString.", "names a parameter of another type than SecureString (%s).", at.arn)
		}
		return trim([]byte(content.Parameter.Value)), nil
	case content.SecretString != nil:
		return trim([]byte(*content.SecretString)), nil
	case content.SecretBinary != nil:
		return trim(content.SecretBinary), nil
	}
	return Secret{}, failed("Put a value into it.", "names a secret without a value (%s).", at.arn)
}

// The errors that both services know (AWS Secrets Manager API Reference, "Common error types"; AWS Systems Manager API Reference, the same).
var (
	denied  = []string{"AccessDeniedException", "AccessDenied"}
	unknown = []string{
		"UnrecognizedClientException", "InvalidSignatureException", "ExpiredTokenException", "InvalidClientTokenId", "MissingAuthenticationTokenException",
		"IncompleteSignature", "RequestExpired",
	}
	locked = []string{"DecryptionFailure", "InvalidKeyId", "KMSAccessDeniedException"}
)

// refusal turns an answer into a sentence. The service's own message stays out of it: nobody promises what it quotes.
func (a answer) refusal(at place) *Error {
	switch {
	case slices.Contains(denied, a.code):
		return failed("Allow "+at.service.action+" on that ARN, and kms:Decrypt on its key where it has one of its own.",
			"cannot be read: this role may not do %s on %s.", at.service.action, at.arn)
	case slices.Contains(at.service.absent, a.code):
		return failed("Create it, or correct the ARN.", "names nothing that exists (%s).", at.arn)
	case slices.Contains(locked, a.code):
		return failed("Allow kms:Decrypt on the key that encrypts it.", "cannot be decrypted (%s: %s).", at.arn, a.code)
	case slices.Contains(unknown, a.code):
		return failed("Renew the credentials of this process.", "cannot be read: AWS does not accept the credentials (%s).", a.code)
	case a.code == "":
		return failed("Check what stands between this process and "+at.host+".", "cannot be read from %s: status %d without the name of an error.", at.arn, a.status)
	}
	return failed("Look the error up in the API reference of the operation "+at.service.target+".", "cannot be read from %s: %s.", at.arn, a.code)
}
