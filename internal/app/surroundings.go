package app

import (
	"os"
	"slices"
	"strings"
)

// endpointPrefix begins the variables that send an AWS SDK elsewhere: for every service, and with _SERVICE behind it for one (AWS SDKs and
// Tools Reference Guide, "Service-specific endpoints").
const endpointPrefix = "AWS_ENDPOINT_URL"

// ignoreVariable switches those variables off, and endpoint_url of shared configuration files with them (the same page).
const ignoreVariable = "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS"

// endpointServices are the services that this program talks to, for environments that can be asked and not listed.
var endpointServices = []string{
	"", "_CONNECT", "_DYNAMODB", "_SQS", "_SNS", "_EVENTBRIDGE", "_SCHEDULER", "_LAMBDA", "_KMS", "_SECRETS_MANAGER", "_SSM", "_STS", "_IAM",
	"_CLOUDWATCH", "_SERVICE_QUOTAS",
}

var (
	// proxyVariables name proxies. Go follows the first four; the others are there for a Go that will.
	proxyVariables = []string{"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"}
	// trustVariables replace the certificate authorities: the first two in Go, the last one in AWS SDKs.
	trustVariables = []string{"SSL_CERT_FILE", "SSL_CERT_DIR", "AWS_CA_BUNDLE"}
)

// CheckEnvironment refuses, wherever real telephones can ring, an environment in which somebody between this process and AWS could answer for AWS or sign requests
// again: the send rule is proven only for a far end that rejects stale signatures of this process (protocol.md section 5, N13). New asks it, and
// every command that reads a configuration. Its errors are *call.Error that name the variable.
//
// Nothing here follows an endpoint variable or reads a shared configuration file; they are refused because whoever set them expects that. A
// proxy alone is accepted: it carries TLS that it cannot open. With certificate authorities of its own it can.
func (c *Config) CheckEnvironment(o Options) error {
	o = o.withDefaults()
	if c.IsProduction() || c.Connect.Endpoint == "" {
		if name := o.endpointVariable(); name != "" {
			return configError(name, "Unset it, or set "+ignoreVariable+"=true: what rings telephones talks to AWS itself.",
				"The environment variable %s names another endpoint than that of AWS.", name)
		}
		proxy, trust := o.firstSet(proxyVariables), o.firstSet(trustVariables)
		if proxy != "" && trust != "" {
			return configError(proxy, "Unset "+trust+", so that the proxy cannot open the connections that it carries, or reach AWS without it.",
				"The environment variables %s and %s let a proxy open TLS and sign requests again.", proxy, trust)
		}
	}
	return nil
}

// endpointVariable returns the name of a variable that names another endpoint; empty when there is none, or when all are switched off.
func (o Options) endpointVariable() string {
	if ignored, _ := o.LookupEnv(ignoreVariable); strings.EqualFold(ignored, "true") {
		return ""
	}
	names := make([]string, 0, len(endpointServices))
	for _, service := range endpointServices {
		names = append(names, endpointPrefix+service)
	}
	if o.Environ != nil {
		for _, variable := range o.Environ() {
			if name, value, _ := strings.Cut(variable, "="); value != "" && (name == endpointPrefix || strings.HasPrefix(name, endpointPrefix+"_")) {
				return name
			}
		}
	}
	return o.firstSet(names)
}

// firstSet returns the first of the variables that is set to something.
func (o Options) firstSet(names []string) string {
	i := slices.IndexFunc(names, func(name string) bool {
		value, _ := o.LookupEnv(name)
		return value != ""
	})
	if i < 0 {
		return ""
	}
	return names[i]
}

// ListProcess lists the environment of this process, as os.Environ does.
func ListProcess() []string { return os.Environ() }
