package secret

import "regexp"

// The ARNs of the two stores (Service Authorization Reference: AWS Secrets Manager, "Secret"; AWS Systems Manager, "parameter"). A secret's name
// ends in six random characters. Lengths are not counted here: a regular expression that counts far costs every start of a function.
var (
	secretARN    = regexp.MustCompile(`^arn:(aws|aws-cn|aws-us-gov):secretsmanager:([a-z]{2,4}(?:-[a-z]{2,12}){1,3}-[0-9]{1,2}):[0-9]{12}:secret:[A-Za-z0-9/_+=.@-]+-[A-Za-z0-9]{6}$`)
	parameterARN = regexp.MustCompile(`^arn:(aws|aws-cn|aws-us-gov):ssm:([a-z]{2,4}(?:-[a-z]{2,12}){1,3}-[0-9]{1,2}):[0-9]{12}:parameter/[A-Za-z0-9_./-]+$`)
)

// suffixes are the domains of the partitions (AWS General Reference, "Service endpoints").
var suffixes = map[string]string{"aws": "amazonaws.com", "aws-us-gov": "amazonaws.com", "aws-cn": "amazonaws.com.cn"}

// place is where an ARN points.
type place struct {
	arn     string
	region  string
	host    string
	service store
}

// store is one of the two services: how it is asked, and in which words it refuses.
type store struct {
	name   string // of the service in signatures and host names
	target string // X-Amz-Target of the one operation
	action string // of the permission
	absent []string
}

var (
	secretsManager = store{
		name: "secretsmanager", target: "secretsmanager.GetSecretValue", action: "secretsmanager:GetSecretValue",
		absent: []string{"ResourceNotFoundException"},
	}
	parameterStore = store{
		name: "ssm", target: "AmazonSSM.GetParameter", action: "ssm:GetParameter",
		absent: []string{"ParameterNotFound", "ParameterVersionNotFound"},
	}
)

func parse(arn string) (place, bool) {
	for _, known := range []struct {
		shape   *regexp.Regexp
		service store
	}{{secretARN, secretsManager}, {parameterARN, parameterStore}} {
		if parts := known.shape.FindStringSubmatch(arn); parts != nil {
			return place{arn: arn, region: parts[2], service: known.service, host: known.service.name + "." + parts[2] + "." + suffixes[parts[1]]}, true
		}
	}
	return place{}, false
}

// IsARN reports whether the text names a secret of Secrets Manager or a parameter of the Parameter Store, in full.
func IsARN(text string) bool {
	_, ok := parse(text)
	return ok
}
