#!/usr/bin/env bash
# Lives with the unit under a systemd of its own: start, one ring, new certificates, death, stop. Needs root, Go, openssl, systemd-nspawn, and in ROOT a
# Debian that boots and is only copied: debootstrap --variant=minbase --include=systemd,systemd-sysv,dbus,curl,openssl bookworm "$ROOT"
# Where the host has the hybrid hierarchy of control groups: SYSTEMD_NSPAWN_UNIFIED_HIERARCHY=0.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
cp -a "${ROOT:?a Debian that boots}/." "$root"
CGO_ENABLED=0 ${GO:-go} build -o "$root/usr/local/bin/ringonce" ./cmd/ringonce
units=$root/etc/systemd/system
cp deploy/systemd/ringonce.service "$units/"
mkdir -p "$units/ringonce.service.d" "$units/multi-user.target.wants" "$root/etc/ringonce"
# The certificate belongs to a group that the unit is given, so a reload finds a new one; the token of the metrics is a credential.
cat >"$units/ringonce.service.d/try.conf" <<'UNIT'
[Service]
SupplementaryGroups=ssl
LoadCredential=metrics:/etc/ringonce/metrics
UNIT
printf '[Service]\nExecStart=/usr/local/bin/ringonce emulator\n' >"$units/telephone.service"
printf '[Unit]\nAfter=basic.target\n[Service]\nType=oneshot\nTimeoutStartSec=120\nExecStart=/usr/local/bin/try\nExecStopPost=systemctl --no-block --force poweroff\n' >"$units/try.service"
ln -sf ../try.service "$units/multi-user.target.wants/try.service"
cat >"$root/etc/ringonce/ringonce.yaml" <<'CONFIG'
production: false
connect: {endpoint: "http://127.0.0.1:7465"}
ledger: {driver: sqlite, path: /var/lib/ringonce/calls.db, witness: /var/lib/ringonce-witness/calls.witness}
serve: {listen: "127.0.0.1:7464", drain: 10s, metrics_token_file: /run/credentials/ringonce.service/metrics, tls: {cert_file: /etc/ringonce/tls.crt, key_file: /etc/ringonce/tls.key}}
profiles:
  alert: {region: us-east-1, instance_id: 11111111-2222-4333-8444-555555555555, contact_flow_id: aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee, source_phone: "+12025550100"}
CONFIG
cat >"$root/usr/local/bin/try" <<'TRY'
#!/usr/bin/env bash
set -euo pipefail
exec >/var/log/try.log 2>&1
trap 'echo "failed at line $LINENO"; journalctl -u ringonce --no-pager -o cat -n 30' ERR
certificate() {
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout /etc/ringonce/tls.key -out /etc/ringonce/tls.crt -days 2 -subj "/CN=$1" 2>/dev/null
	chgrp ssl /etc/ringonce/tls.*
	chmod 0640 /etc/ringonce/tls.*
}
ready() { for _ in $(seq 40); do curl -fsk https://127.0.0.1:7464/readyz >/dev/null && return; sleep 0.25; done; false; }
shown() { openssl s_client -connect 127.0.0.1:7464 </dev/null 2>/dev/null | grep '^subject'; }
place() {
	curl -fsk -H 'Content-Type: application/json' https://127.0.0.1:7464/v1/calls \
		-d '{"notificationId":"n-1","recipientId":"r-1","destinationPhoneNumber":"+12025550101","profile":"alert"}' >/dev/null
}
rings() { sleep 2; curl -fs http://127.0.0.1:7466/rings | grep -q '"total": *1,'; }
groupadd -f ssl
certificate before
(umask 0077 && openssl rand -hex 32 >/etc/ringonce/metrics)
systemctl start telephone ringonce
ready && place && place && rings && echo "ready, one ring of two requests"
pid=$(systemctl show -P MainPID ringonce)
grep -q '^CapBnd:.*0000000000000000' "/proc/$pid/status" && grep -q '^Seccomp:.*2' "/proc/$pid/status" && grep -q '^NoNewPrivs:.*1' "/proc/$pid/status"
grep -q ' /proc .*subset=pid' "/proc/$pid/mountinfo" && echo "no capability, a filter of system calls, only processes in /proc"
! curl -fsk https://127.0.0.1:7464/metrics >/dev/null
curl -fsk -H "Authorization: Bearer $(cat /etc/ringonce/metrics)" https://127.0.0.1:7464/metrics | grep -c ringonce_ >/dev/null && echo "the credential is read"
certificate after
systemctl reload ringonce && sleep 1 && shown | grep -q after && echo "a reload shows the new certificate"
kill -KILL "$pid" && sleep 4 && ready && place && rings && test "$(systemctl show -P NRestarts ringonce)" = 1 && echo "killed: again ready, no second ring"
systemctl stop ringonce && test "$(systemctl show -P Result ringonce)" = success && journalctl -u ringonce --no-pager | grep -q '"msg":"ended"' && echo "stopped: drained"
systemd-analyze verify /etc/systemd/system/ringonce.service && echo "verified, no complaint"
echo whole
TRY
chmod +x "$root/usr/local/bin/try"
systemd-nspawn -D "$root" --boot --register=no --keep-unit --private-network --console=pipe </dev/null >"$root/boot.log" 2>&1 || true
cat "$root/var/log/try.log"
tail -n 1 "$root/var/log/try.log" | grep -qx whole
