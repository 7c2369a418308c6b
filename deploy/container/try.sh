#!/usr/bin/env bash
# Builds the image and lives with it: a call rings once, also behind a restart, and SIGTERM ends with 0. Needs podman or docker, curl, and the image
# golang:1.26; the ports 7464 to 7466 must be free. ENGINE is podman, docker or a program that calls one; BUILD and RUN add flags, such as
# BUILD='--network=host --pull=never' where there is no bridge and no registry. IMAGE names one that is built.
set -euo pipefail
cd "$(dirname "$0")/../.."
engine=${ENGINE:-podman}
dir=$(mktemp -d)
read -ra build <<<"${BUILD:-}"
read -ra run <<<"${RUN:-}"
run+=(--network=host --read-only --cap-drop=all --security-opt=no-new-privileges)
volumes=(-v ringonce-try:/var/lib/ringonce -v ringonce-try-witness:/var/lib/ringonce-witness -v "$dir/ringonce.yaml:/etc/ringonce/ringonce.yaml:ro")

tidy() {
	"$engine" rm -f ringonce-try ringonce-try-telephone >/dev/null 2>&1 || true
	"$engine" volume rm ringonce-try ringonce-try-witness >/dev/null 2>&1 || true
	rm -r "$dir"
}
trap tidy EXIT
fail() { echo "$*" >&2; "$engine" logs ringonce-try >&2 || true; exit 1; }
ready() { for _ in $(seq 60); do curl -fsS "$1" >/dev/null 2>&1 && return; sleep 0.5; done; fail "$1 does not answer"; }
place() {
	curl -fsS -H 'Content-Type: application/json' http://127.0.0.1:7464/v1/calls \
		-d '{"notificationId":"n-1","recipientId":"r-1","destinationPhoneNumber":"+12025550101","profile":"alert"}' >/dev/null
}
rings() { # how many the telephone counts
	local seen
	sleep 2
	seen=$(curl -fsS http://127.0.0.1:7466/rings | grep -oE '"total": ?[0-9]+' | grep -oE '[0-9]+')
	test "$seen" = "$1" || fail "$seen rings, want $1"
}

cat >"$dir/ringonce.yaml" <<'CONFIG'
production: false
connect: {endpoint: "http://127.0.0.1:7465"}
ledger: {driver: sqlite, path: /var/lib/ringonce/calls.db, witness: /var/lib/ringonce-witness/calls.witness}
serve: {listen: "127.0.0.1:7464", drain: 10s}
profiles:
  alert: {region: us-east-1, instance_id: 11111111-2222-4333-8444-555555555555, contact_flow_id: aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee, source_phone: "+12025550100"}
CONFIG
chmod 0755 "$dir" && chmod 0644 "$dir/ringonce.yaml"
image=${IMAGE:-ringonce}
test -n "${IMAGE:-}" || "$engine" build "${build[@]}" -f deploy/container/Containerfile -t "$image" .
"$engine" run -d --name ringonce-try-telephone "${run[@]}" "$image" emulator >/dev/null
for life in first second; do
	"$engine" run -d --name ringonce-try --stop-timeout=60 "${run[@]}" "${volumes[@]}" "$image" >/dev/null
	ready http://127.0.0.1:7464/healthz
	ready http://127.0.0.1:7464/readyz
	place && place
	rings 1
	"$engine" stop ringonce-try >/dev/null
	code=$("$engine" inspect -f '{{.State.ExitCode}}' ringonce-try)
	test "$code" = 0 || fail "SIGTERM: exit code $code"
	"$engine" rm ringonce-try >/dev/null
	echo "$life life: ready, one ring of two requests, ended with 0"
done
if "$engine" run --rm "${run[@]}" --entrypoint /bin/sh "$image" -c true 2>/dev/null; then fail "the image has a shell"; fi
"$engine" run -d --name ringonce-try "${run[@]}" -v ringonce-try:/var/lib/ringonce -v ringonce-try-witness:/var/lib/ringonce-witness "$image" serve >/dev/null
ready http://127.0.0.1:7464/readyz
echo "without a configuration: ready"
