#!/usr/bin/env bash
# Prints the packages of this module that have tests behind the build tag integration, one a line. Fails when there are
# none: then the tag was renamed and nothing would be tested. The modules below, of the examples and of the
# benchmark beside peers, have targets of their own. Neither is the core printed: one of its tests is behind the tag and
# takes a server, the others take half a minute more and run without, so the Makefile names that one. The longest come
# first, so that none runs alone at the end.
set -euo pipefail
cd "$(dirname "$0")/.."

packages=$(grep -rlE '^//go:build .*\bintegration\b' --include='*_test.go' --exclude-dir=.git --exclude-dir=.tools . |
	xargs -r -n 1 dirname | sort -u | grep -vE '^\./(examples/idempotency|bench/peers|internal/call$)' || true)
if [ -z "$packages" ]; then
	echo "no test carries the build tag integration" >&2
	exit 1
fi
longest='^\./internal/(cli|crashtest|ledger/[a-z]+)$'
grep -E "$longest" <<<"$packages"
grep -vE "$longest" <<<"$packages"
