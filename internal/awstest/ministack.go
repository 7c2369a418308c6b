package awstest

import (
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
)

const (
	// MinistackAccount is the account of the functions of a [Ministack], and of callers whose access key id it is: twelve digits as an
	// access key id name the account (ministack 1.5.33, core/responses.py). Functions sign with it and [MinistackSecret].
	MinistackAccount = "111122223333"
	// MinistackSecret is the secret access key of the functions of a [Ministack]. That of callers is not looked at.
	MinistackSecret = "test"
	// MinistackRegion is the Region of a [Ministack].
	MinistackRegion = "us-east-1"
)

// Ministack is a server that answers for SQS, SNS, EventBridge, EventBridge Scheduler, DynamoDB and Lambda, and runs functions of the
// runtimes provided.* as processes of this machine, without containers. docs/adr/0013 says what it does and what it does not.
type Ministack struct {
	URL    string // http://127.0.0.1:PORT
	output *safeBuffer
}

// StartMinistack starts a Ministack, which ends with the test, and its functions with it. It inherits nothing of the environment but where
// programs are found, since functions inherit its own.
func StartMinistack(t testing.TB) *Ministack {
	t.Helper()
	interpreter := python(t, "ministack-"+ministackVersion, "ministack=="+ministackVersion)
	m := &Ministack{}
	m.URL, m.output = startWith(t, interpreter,
		func(string) []string { return []string{"-m", "ministack"} },
		func(port, dir string) []string {
			return []string{
				"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + dir, "PYTHONUNBUFFERED=1",
				"GATEWAY_PORT=" + port, "BIND_HOST=127.0.0.1", "MINISTACK_HOST=127.0.0.1", "MINISTACK_REGION=" + MinistackRegion,
				"AWS_SECRET_ACCESS_KEY=" + MinistackSecret, "LAMBDA_EXECUTOR=local", "LAMBDA_ASYNC_RETRY_BASE_SECONDS=2",
			}
		})
	awaitOK(t, m.URL+"/_ministack/health")
	return m
}

// logRecord is how a record of the server's log begins.
var logRecord = regexp.MustCompile(`(?m)^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d`)

// Log returns the records of the server's log that contain a text, such as the name of a function.
func (m *Ministack) Log(containing string) string {
	text := m.output.text()
	starts := append(logRecord.FindAllStringIndex(text, -1), []int{len(text), len(text)})
	var found strings.Builder
	for i := range len(starts) - 1 {
		if record := text[starts[i][0]:starts[i+1][0]]; strings.Contains(record, containing) {
			found.WriteString(record)
		}
	}
	return found.String()
}

// awaitOK waits until a server that takes connections also answers with 200.
func awaitOK(t testing.TB, url string) {
	t.Helper()
	for deadline := time.Now().Add(startTime); ; time.Sleep(50 * time.Millisecond) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultClient.Do(request)
		if err == nil {
			err = response.Body.Close()
			if err == nil && response.StatusCode == http.StatusOK {
				return
			}
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s does not answer with 200: %v", url, err)
		}
	}
}
