// Command sbom keeps the list of what is linked into the two binaries, deploy/sbom/*.cdx.json, and tells when it is not up to date:
//
//	sbom CYCLONEDX-GOMOD         write the lists
//	sbom -diff CYCLONEDX-GOMOD   compare them with what would be written; exit code 1 and the changes when they differ
//
// Each list is a CycloneDX document that cyclonedx-gomod makes of a binary built for linux/amd64. What differs between two runs or two machines
// (serial number, time, hashes of the binary and of the tool, version of Go) is left out, and each component stands on a line of its own, so that a
// module that moved is one changed line to review.
package main
