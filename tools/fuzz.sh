#!/usr/bin/env bash
# Runs every fuzz test of the module for FUZZTIME (60 s), one after the other, because go test fuzzes one at a time.
# All of them run, or those whose names match FUZZ; the exit code tells whether one of them failed.
set -euo pipefail
cd "$(dirname "$0")/.."

go=${GO:-go}
failed=0
while IFS=: read -r package name; do
	echo "== $package $name"
	"$go" test -run='^$' -fuzz="^$name\$" -fuzztime="${FUZZTIME:-60s}" "$package" </dev/null || failed=1
done < <(grep -rnoE '^func Fuzz[A-Z0-9_][A-Za-z0-9_]*' --include='*_test.go' --exclude-dir=.git --exclude-dir=.tools . |
	grep -E "func (${FUZZ:-Fuzz.*})\$" | sed -E 's|^(.*)/[^/]+:[0-9]+:func (Fuzz.*)$|\1:\2|' | sort -u)
exit $failed
