// Package clients holds programs in other languages whose clients are generated from the service's document; its tests, with the build tag
// integration, generate them and run them against ringonce serve.
package clients
