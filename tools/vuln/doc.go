// Command vuln runs govulncheck over the module where the vulnerability database can be reached, and says in one line
// that it did not where it cannot.
//
//	vuln GOVULNCHECK [ARGUMENT...]
//
// It asks govulncheck itself for the database's date first, so that an unreachable database is told apart from a
// finding and from a broken tool. The exit code is 0 for a clean module and for a database that cannot be reached, 3
// for findings (govulncheck's own code), 1 for anything else.
package main
