// Package flow holds the function that forwards what contact flows report to a service; its tests, with the build tag integration, run it.
package flow
