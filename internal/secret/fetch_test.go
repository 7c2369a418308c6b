package secret_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/ringonce/ringonce/internal/secret"
)

const (
	secretARN    = "arn:aws:secretsmanager:ap-northeast-1:111122223333:secret:ringonce/identity-AbCdEf"
	parameterARN = "arn:aws:ssm:ap-northeast-1:111122223333:parameter/ringonce/identity"
)

// clock is the clock of a test: the machine's, without waiting.
type clock struct{}

func (clock) Now() time.Time { return time.Now() }

func (clock) Sleep(ctx context.Context, _ time.Duration) error { return ctx.Err() }

func options(endpoint string) secret.Options {
	return secret.Options{
		Clock: clock{}, Endpoint: endpoint,
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "AKIDEXAMPLE", SecretAccessKey: "wJalrXUtnFEMI"}, nil
		}),
	}
}

// service stands in for one of the services. Every body that it sends holds the value, so that an error that quotes it is seen.
func service(t *testing.T, answer func(n int64, w http.ResponseWriter, input map[string]any)) (endpoint string, asked *atomic.Int64) {
	t.Helper()
	asked = new(atomic.Int64)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var input map[string]any
		if err == nil {
			err = json.Unmarshal(body, &input)
		}
		signed := strings.HasPrefix(r.Header.Get("Authorization"), "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/") && strings.Contains(r.Header.Get("Authorization"), "x-amz-target")
		if err != nil || !signed || r.Header.Get("Content-Type") != "application/x-amz-json-1.1" {
			t.Errorf("the request is not signed, or no JSON 1.1: %v %v %s", err, r.Header, body)
		}
		input["target"], input["region"] = r.Header.Get("X-Amz-Target"), strings.Split(r.Header.Get("Authorization"), "/")[2]
		answer(asked.Add(1), w, input)
	}))
	t.Cleanup(server.Close)
	return server.URL, asked
}

func respond(w http.ResponseWriter, status int, body any) {
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

func TestEachStoreIsAskedInItsOwnWords(t *testing.T) {
	t.Parallel()
	endpoint, _ := service(t, func(_ int64, w http.ResponseWriter, input map[string]any) {
		switch input["target"] {
		case "secretsmanager.GetSecretValue":
			if input["SecretId"] != secretARN || input["region"] != "ap-northeast-1" {
				t.Errorf("asked for %v", input)
			}
			respond(w, http.StatusOK, map[string]any{"ARN": secretARN, "SecretString": value + "\n"})
		case "AmazonSSM.GetParameter":
			if input["Name"] != parameterARN || input["WithDecryption"] != true {
				t.Errorf("asked for %v", input)
			}
			respond(w, http.StatusOK, map[string]any{"Parameter": map[string]any{"Type": "SecureString", "Value": value}})
		}
	})
	for _, arn := range []string{secretARN, parameterARN} {
		s, err := secret.Fetch(t.Context(), options(endpoint+"/"), arn)
		if err != nil || string(s.Reveal()) != value {
			t.Errorf("%s: %d bytes, %v", arn, s.Len(), err)
		}
	}
}

func TestASecretOfBytesIsDecoded(t *testing.T) {
	t.Parallel()
	bytes := []byte{0, 1, 2, 0xff, '\n'}
	endpoint, _ := service(t, func(_ int64, w http.ResponseWriter, _ map[string]any) {
		respond(w, http.StatusOK, map[string]any{"SecretBinary": base64.StdEncoding.EncodeToString(bytes)})
	})
	s, err := secret.Fetch(t.Context(), options(endpoint), secretARN)
	if err != nil || string(s.Reveal()) != string(bytes[:4]) {
		t.Errorf("read %d bytes, %v", s.Len(), err)
	}
}

func TestWhatPassesIsAskedAgainAndWhatStaysIsNot(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status int
		kind   string
		asked  int64
	}{
		"a failure of the service": {500, "InternalServiceError", 3},
		"a gateway":                {502, "", 3},
		"a throttle":               {400, "ThrottlingException", 3},
		"too many requests":        {429, "", 3},
		"no permission":            {400, "AccessDeniedException", 1},
	} {
		endpoint, asked := service(t, func(_ int64, w http.ResponseWriter, _ map[string]any) {
			respond(w, c.status, map[string]any{"__type": c.kind, "message": value})
		})
		if _, err := secret.Fetch(t.Context(), options(endpoint), secretARN); err == nil || shows(err.Error()) || asked.Load() != c.asked {
			t.Errorf("%s: asked %d times, %v", name, asked.Load(), err)
		}
	}
	endpoint, asked := service(t, func(n int64, w http.ResponseWriter, _ map[string]any) {
		if n < 3 {
			respond(w, http.StatusServiceUnavailable, map[string]any{"__type": "ServiceUnavailable"})
			return
		}
		respond(w, http.StatusOK, map[string]any{"SecretString": value})
	})
	if s, err := secret.Fetch(t.Context(), options(endpoint), secretARN); err != nil || string(s.Reveal()) != value {
		t.Errorf("asked %d times: %v", asked.Load(), err)
	}
}

func TestEveryRefusalSaysWhatToDoAndNothingOfTheSecret(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		arn    string
		status int
		body   any
		says   string
	}{
		"no permission":             {secretARN, 400, map[string]any{"__type": "AccessDeniedException"}, "secretsmanager:GetSecretValue on " + secretARN},
		"no permission, parameter":  {parameterARN, 400, map[string]any{"__type": "AccessDeniedException"}, "ssm:GetParameter on " + parameterARN},
		"not there":                 {secretARN, 400, map[string]any{"__type": "com.amazonaws.secretsmanager#ResourceNotFoundException"}, "names nothing that exists"},
		"not there, parameter":      {parameterARN, 400, map[string]any{"__type": "ParameterNotFound"}, "names nothing that exists"},
		"its key is closed":         {secretARN, 400, map[string]any{"__type": "DecryptionFailure"}, "kms:Decrypt"},
		"wrong credentials":         {secretARN, 403, map[string]any{"__type": "UnrecognizedClientException"}, "Renew the credentials"},
		"another error":             {secretARN, 400, map[string]any{"__type": "InvalidRequestException", "message": value}, "InvalidRequestException"},
		"an error that is a text":   {secretARN, 400, map[string]any{"__type": "x " + value}, "status 400 without the name"},
		"a page":                    {secretARN, 403, "<html>" + value, "status 403 without the name"},
		"a redirect":                {secretARN, 307, value, "status 307"},
		"a parameter in the clear":  {parameterARN, 200, map[string]any{"Parameter": map[string]any{"Type": "String", "Value": value}}, "SecureString"},
		"no value":                  {secretARN, 200, map[string]any{"Name": value}, "without a value"},
		"an answer that is no JSON": {secretARN, 200, value, "not that of the service"},
		"another ARN":               {"arn:aws:s3:::bucket", 200, value, "is no ARN"},
	} {
		endpoint, _ := service(t, func(_ int64, w http.ResponseWriter, _ map[string]any) {
			w.Header().Set("Location", "http://127.0.0.1:1/")
			respond(w, c.status, c.body)
		})
		_, err := secret.Fetch(t.Context(), options(endpoint), c.arn)
		if err == nil || !strings.Contains(err.Error(), c.says) || shows(err.Error()) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAServiceThatIsNotThereIsSaid(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	if _, err := secret.Fetch(t.Context(), options(server.URL), secretARN); err == nil || !strings.Contains(err.Error(), "its way to secretsmanager.ap-northeast-1.amazonaws.com") {
		t.Errorf("err = %v", err)
	}
}

func TestOnlyWholeARNsOfTheTwoStoresAreTaken(t *testing.T) {
	t.Parallel()
	for arn, want := range map[string]bool{
		secretARN: true, parameterARN: true, "arn:aws-cn:ssm:cn-north-1:111122223333:parameter/a": true,
		"arn:aws-us-gov:secretsmanager:us-gov-west-1:111122223333:secret:a-AbCdEf": true,
		"arn:aws:secretsmanager:us-east-1:111122223333:secret:identity":            false, // the six characters are missing
		"arn:aws:secretsmanager:evil.example/:111122223333:secret:a-AbCdEf":        false,
		"arn:aws:ssm:us-east-1:111122223333:document/a":                            false,
		"arn:aws:kms:us-east-1:111122223333:key/a":                                 false, "identity": false, "": false,
	} {
		if secret.IsARN(arn) != want {
			t.Errorf("%q: %v", arn, !want)
		}
	}
}
