#!/usr/bin/env bash
# Licensed under the Apache License, Version 2.0; see LICENSE.
#
# Looks at a recovery of the demo from outside, in about three minutes: takes the pictures of the web page by a browser
# and, if there is a Prometheus, has it read /prom and evaluate each expression of the dashboard and of the alert rules.
#
#   dayu-namenode/programs/src/bin/watch-demo.sh [directory for the pictures (docs/figures)]
#
# BROWSER (chromium): a Chromium. PROMETHEUS (none): the directory of the programs prometheus and promtool; on Debian
# `apt-get download prometheus && dpkg -x prometheus_*.deb p` puts them into p/usr/bin without installing anything.
set -euo pipefail
root=$(cd "$(dirname "$0")/../../../.." && pwd)
pictures=$(cd "${1:-$root/docs/figures}" && pwd)
browser=${BROWSER:-chromium}
work=$(mktemp -d "${TMPDIR:-/tmp}/dayu-watch.XXXXXX")
limit_sec=180
demo=
prometheus=

finish() {
  local code=$?
  for pid in $demo $prometheus; do kill "$pid" 2>/dev/null || true; done
  for pid in $demo $prometheus; do wait "$pid" 2>/dev/null || true; done
  if [ $code -eq 0 ]; then rm -rf "$work"; else echo "FAILED; see $work" >&2; fi
}
trap finish EXIT

# await <what> <command...>: until the command succeeds.
await() {
  local what=$1 end=$((SECONDS + limit_sec))
  shift
  until "$@"; do
    if [ $SECONDS -ge $end ] || ! kill -0 "$demo"; then
      echo "not seen: $what" >&2
      exit 1
    fi
    sleep 1
  done
}

page() { url=$(grep -oE 'http://\S+/dayu/' "$work/demo.log"); }
status() { curl -sf "${url}api/v1/status"; }
# Ten blocks are done and eight seconds more: every table of the page has rows.
in_recovery() { status | grep -Eq '"active":true.*"blocksDone":[0-9]{2}'; }

cd "$root"
# Links of half the usual rate: the recovery takes as long as four pictures.
# shellcheck disable=SC2086
mvn ${MAVEN_ARGS:-} -B -ntp -q -Pdemo -Ddemo.modes=dayu -Ddemo.bandwidth=1m -Ddemo.block=192k -Ddemo.data=400m \
  "-Ddemo.conf=hadoop.prometheus.endpoint.enabled=true" -Ddemo.report="$work/report.html" >"$work/demo.log" 2>&1 &
demo=$!
await "the page's address" page
echo "The page is $url"

if [ -n "${PROMETHEUS:-}" ]; then
  "$PROMETHEUS/promtool" check rules conf/prometheus/dayu-alerts.yml
  "$PROMETHEUS/promtool" test rules dayu-namenode/src/test/prometheus/dayu-alerts-test.yml
  namenode=$(sed -E 's,http://([^/]+)/.*,\1,' <<<"$url")
  cat >"$work/prometheus.yml" <<YML
global: {scrape_interval: 2s, evaluation_interval: 2s}
rule_files: ["$root/conf/prometheus/dayu-alerts.yml"]
scrape_configs:
  - {job_name: hdfs, metrics_path: /prom, static_configs: [{targets: ["$namenode"]}]}
YML
  port=$((20000 + RANDOM % 10000))
  "$PROMETHEUS/prometheus" --config.file="$work/prometheus.yml" --storage.tsdb.path="$work/tsdb" \
    --web.listen-address="127.0.0.1:$port" >"$work/prometheus.log" 2>&1 &
  prometheus=$!
fi

await "a recovery" in_recovery
sleep 8
picture() {
  timeout 60 "$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$work/browser" \
    --blink-settings=preferredColorScheme="$2" --window-size="$3" --virtual-time-budget=3000 \
    --screenshot="$pictures/web-page-$1.png" "$url" >>"$work/browser.log" 2>&1
  echo "Took $pictures/web-page-$1.png"
}
picture wide-light 1 1200,2100
picture narrow-dark 0 500,1700
picture wide-dark 0 1200,2100
picture narrow-light 1 500,1700
status | grep -oE '"etaSeconds":[^,]*|"etaError":[^,]*'

if [ -n "$prometheus" ]; then
  values() { "$PROMETHEUS/promtool" query instant "http://127.0.0.1:$port" "$1"; }
  checked=0
  while read -r expression; do
    if ! values "$expression" >"$work/values" 2>&1 || ! grep -q '=>' "$work/values"; then
      echo "no value: $expression: $(cat "$work/values")" >&2
      exit 1
    fi
    checked=$((checked + 1))
  done < <(grep -oE '"expr": ".*"' conf/grafana/dayu-dashboard.json |
    sed -E 's/"expr": "(.*)"/\1/; s/\\"/"/g; s/\$(instance|cluster)/.*/g')
  echo "Prometheus has values for all $checked expressions of the dashboard."
  curl -sf "http://127.0.0.1:$port/api/v1/rules" >"$work/rules.json"
  healthy=$(grep -oE '"health":"[a-z]*"' "$work/rules.json" | grep -c '"ok"')
  [ "$healthy" -eq "$(grep -c 'alert:' conf/prometheus/dayu-alerts.yml)" ]
  echo "Prometheus evaluates all $healthy alert rules; pending or firing: $(
    grep -oE '"state":"(pending|firing)"' "$work/rules.json" | wc -l)"
fi
wait "$demo"
demo=
grep -E 'estimate of the time|DONE' "$work/demo.log"
