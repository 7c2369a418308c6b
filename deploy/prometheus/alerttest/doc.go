// Package alerttest asks Prometheus' own engine what the alert rules and the dashboard of this repository say of a service that runs: its real /metrics is
// scraped in virtual time while something goes wrong, and exactly the alert that is made for it has to fire. It is a module of its own, so that nobody who
// uses ringonce compiles Prometheus.
package alerttest
