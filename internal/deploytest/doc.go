// Package deploytest reads the two forms of the deployment, deploy/sam and deploy/terraform, and says what is wrong with them.
//
// Both are evaluated for the same parameters, account and Region, with every reference resolved to the ARN or name it would get, and brought
// into one language, CloudFormation's ([Stack]). So the tests compare them resource by resource, and every rule ([Problems]) is written once.
// What only AWS or the Terraform provider knows is not judged here; docs/deploy.md says what that is.
package deploytest
