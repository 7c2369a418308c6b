#!/usr/bin/env bash
# Fails when `go generate ./...` changes a file. It compares the tree with itself before and after, so that it works
# without a git checkout and beside changes that are not committed yet. The new files stay: look at them, commit them.
set -euo pipefail
cd "$(dirname "$0")/.."

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

snapshot() {
	find . \( -name .git -o -name .tools -o -name node_modules -o -name __pycache__ \) -prune -o -type f -print0 |
		LC_ALL=C sort -z | xargs -0 sha256sum
}

snapshot >"$scratch/before"
"${GO:-go}" generate ./...
snapshot >"$scratch/after"

if ! diff "$scratch/before" "$scratch/after" >"$scratch/diff"; then
	echo "verify: generated files were stale; they are written anew, commit them:" >&2
	sed -n 's/^> [0-9a-f]*  /  /p; s/^< [0-9a-f]*  /  /p' "$scratch/diff" | sort -u >&2
	exit 1
fi
echo "verify: generated files are fresh"
