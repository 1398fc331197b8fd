#!/usr/bin/env bash
# Licensed under the Apache License, Version 2.0; see LICENSE.
#
# Runs what try/compose.yml of a release runs, as processes on this host, on HDFS from Hadoop's released jars: the
# members that it names, a kill, the recovery and the page. Takes about a minute. Needs a JDK and curl; no Docker, no
# image.
#
#   check-try.sh <tarball>
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
tarball=$(readlink -f "$1")
limit_sec=300
work=$(mktemp -d "${TMPDIR:-/tmp}/dayu-try.XXXXXX")
declare -A pids=()

finish() {
  local code=$?
  # Each is the leader of a group of its own: the client starts others.
  for pid in "${pids[@]}"; do { kill -9 -- "-$pid" && wait "$pid"; } 2>/dev/null || true; done
  if [ $code -eq 0 ]; then rm -rf "$work"; else echo "FAILED; see $work" >&2; fi
}
trap finish EXIT

# shellcheck source=../trial/functions.sh
. "$here/../trial/functions.sh"

tar -xzf "$tarball" -C "$work"
release=$work/$(basename "$tarball" .tar.gz)
# The services and their commands, as compose.yml has them.
services=$(awk '/^services:/ {on = 1}
  on && /^  [a-z0-9]+:$/ {name = $1}
  on && /command:/ {gsub(/[]["]/, ""); print name $2}' "$release/try/compose.yml")
[ "$(wc -l <<<"$services")" = 6 ] || { echo "compose.yml has other services: $services" >&2; exit 1; }
grep -q 'entrypoint: \["bash", "/opt/dayu/try/node.sh"\]' "$release/try/compose.yml"

code=0
TRY_DIR=$work/none bash "$release/try/node.sh" journalnode 2>"$work/last.out" || code=$?
if [ $code != 2 ] || [ -e "$work/none" ]; then echo "an unknown role is not refused at once" >&2; exit 1; fi

hadoop_jars "$work"
HDFS=$here/../trial/hdfs
chmod +x "$HDFS"
RPC_PORT=$(free_port)
HTTP_PORT=$(free_port)
export HDFS RPC_PORT HTTP_PORT NAMENODE=127.0.0.1 DATANODE_PORTS=any METER=datanode BANDWIDTH=4m FILES=6
for service in $services; do
  name=${service%%:*}
  TRY_DIR=$work/$name setsid bash "$release/try/node.sh" "${service#*:}" >"$work/$name.log" 2>&1 &
  pids[$name]=$!
done

dayu() { TRY_DIR=$work/namenode bash "$release/try/hdfs.sh" dayu "$@"; }
agents() { dayu -status | grep -q " 4 of 4 live DataNodes report"; }
loaded() { grep -q "load: 6 files are written" "$work/load.log"; }
ends() { grep -Ec 'Dayu: recovery [0-9]+ ends after' "$work/namenode.log" || true; }
ended() { [ "$(ends)" -gt "$before" ]; }
await "Dayu is active with four agents" agents
await "the client has written" loaded
# Files that were written while a DataNode was missing may have been recovered before.
before=$(ends)
kill -9 -- "-${pids[datanode2]}" && wait "${pids[datanode2]}" 2>/dev/null || true
await "Dayu has recovered" ended
grep -oE 'Dayu: recovery [0-9]+ (begins|ends).*' "$work/namenode.log"
curl -sf "http://127.0.0.1:$HTTP_PORT/dayu/" >"$work/last.out"
grep -q '<title>' "$work/last.out"
curl -sf "http://127.0.0.1:$HTTP_PORT/prom" >"$work/last.out"
grep -q '^dayu_transfers_finished{' "$work/last.out"
grep -q '^OK: Dayu ' "$work/namenode.log"
java -jar "$release/sim/dayu-sim.jar" recover --nodes 20 --rack-size 5 --chunks 1000 --failures 1 --algorithm dayu \
  >"$work/sim.out"
echo "compose.yml's members run: $(wc -l <<<"$services") of them"
