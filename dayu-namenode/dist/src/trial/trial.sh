#!/usr/bin/env bash
# Licensed under the Apache License, Version 2.0; see LICENSE.
#
# Tries a release as docs/install.md has it, with daemons that are processes of their own on this host: install,
# failure, recovery, pause, upgrade, roll-back. On the Hadoop distribution of HADOOP_HOME or, where that is not set, on
# HDFS from Hadoop's released jars, which Maven fetches. With the tarball of an older release, the trial begins with
# that, upgrades from it with a recovery while both are in use, and downgrades to it; else it upgrades to the same
# release under another name. Takes about six minutes. Leaves nothing, but after a failure its directory with the logs.
#
#   dayu-namenode/dist/src/trial/trial.sh [dayu-namenode/dist/target/dayu-<version>.tar.gz [older tarball]]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../../.." && pwd)
tarball=${1:-$(ls "$root"/dayu-namenode/dist/target/dayu-*.tar.gz)}
older=${2:-}
datanodes=5
limit_sec=90
startup=shadow
work=$(mktemp -d "${TMPDIR:-/tmp}/dayu-trial.XXXXXX")
declare -A pids=()
step="start"

finish() {
  local code=$?
  # Bash reports a killed child when it waits for it.
  for pid in "${pids[@]}"; do { kill -9 "$pid" && wait "$pid"; } 2>/dev/null || true; done
  if [ $code -eq 0 ]; then
    rm -rf "$work"
    echo "TRIAL PASSED"
  else
    echo "TRIAL FAILED at: $step; see $work" >&2
  fi
}
trap finish EXIT

say() { step=$1; echo "trial: $1"; }

# shellcheck source=functions.sh
. "$here/functions.sh"

hadoop() {
  if [ -n "${HADOOP_HOME:-}" ]; then
    hdfs=$HADOOP_HOME/bin/hdfs
    export HADOOP_LOG_DIR=$work/logs HADOOP_PID_DIR=$work/pids
    # The trial has its own configuration directory, without the hadoop-env.sh that may set it.
    JAVA_HOME=${JAVA_HOME:-$(dirname "$(dirname "$(readlink -f "$(command -v java)")")")}
    export JAVA_HOME
  else
    hdfs=$here/hdfs
    chmod +x "$hdfs"
    hadoop_jars "$work"
  fi
}

# conf <with or without>: the configuration of all daemons and clients, with Dayu's plugins or not.
conf() {
  local plugins=""
  if [ "$1" = with ]; then
    plugins="<property><name>dfs.namenode.plugins</name><value>io.dayu.namenode.DayuNameNodePlugin</value></property>
      <property><name>dfs.datanode.plugins</name><value>io.dayu.datanode.DayuDataNodePlugin</value></property>
      <property><name>dayu.datanode.bandwidthPerSec</name><value>2m</value></property>
      <property><name>dayu.datanode.meter</name><value>datanode</value></property>
      <property><name>dayu.namenode.journal.dir</name><value>$work/logs</value></property>
      <property><name>dayu.namenode.startup.mode</name><value>$startup</value></property>
      <property><name>dayu.of.a.newer.version</name><value>1</value></property>"
  fi
  cat > "$conf/core-site.xml" <<XML
<configuration>
  <property><name>fs.defaultFS</name><value>hdfs://127.0.0.1:$rpc</value></property>
  <property><name>hadoop.prometheus.endpoint.enabled</name><value>true</value></property>
</configuration>
XML
  cat > "$conf/hdfs-site.xml" <<XML
<configuration>
  <property><name>dfs.namenode.name.dir</name><value>$work/name</value></property>
  <property><name>dfs.namenode.http-address</name><value>127.0.0.1:$http</value></property>
  <property><name>dfs.datanode.data.dir</name><value>$work/\${node}</value></property>
  <property><name>dfs.datanode.address</name><value>127.0.0.1:0</value></property>
  <property><name>dfs.datanode.ipc.address</name><value>127.0.0.1:0</value></property>
  <property><name>dfs.datanode.http.address</name><value>127.0.0.1:0</value></property>
  <property><name>dfs.blocksize</name><value>1048576</value></property>
  <property><name>dfs.heartbeat.interval</name><value>1</value></property>
  <property><name>dfs.namenode.heartbeat.recheck-interval</name><value>1000</value></property>
  <property><name>dfs.namenode.safemode.extension</name><value>0</value></property>
  <property><name>dfs.namenode.redundancy.interval.seconds</name><value>1s</value></property>
  <property><name>dfs.namenode.replication.work.multiplier.per.iteration</name><value>1</value></property>
  $plugins
</configuration>
XML
}

start() {
  local name=$1
  shift
  mkdir -p "$work/logs" "$work/$name"
  # Of several DataNodes on a host each has its own directory, since a Hadoop configuration may name system properties,
  # and its own file with the process id.
  HADOOP_IDENT_STRING="$name" HADOOP_OPTS="-Dnode=$name" JAVA_TOOL_OPTIONS="-Dnode=$name" \
    "$hdfs" "$@" >"$work/logs/$name.log" 2>&1 &
  pids[$name]=$!
}

stop() {
  kill "$2" "${pids[$1]}"
  wait "${pids[$1]}" 2>/dev/null || true
  unset "pids[$1]"
}

# restart <name>: of a daemon, its command being its name without the number.
restart() {
  stop "$1" -TERM
  case $1 in dn*) start "$1" datanode ;; *) start "$1" "$1" ;; esac
}

# post <command> <note>: to the web page; the HTTP status is the last line.
post() {
  curl -s -w '\n%{http_code}\n' -X POST -H 'X-XSRF-HEADER: x' -H 'Content-Type: application/json' \
    -d "{\"argument\": \"$2\"}" "http://127.0.0.1:$http/dayu/api/v1/$1"
}

dayu() { "$hdfs" dayu "$@" 2>"$work/dayu.err"; }
state_is() { dayu -status | grep -q ": $1 since "; }
agents_are() { dayu -status | grep -q " $1 of $1 live DataNodes report"; }
healthy() {
  "$hdfs" fsck / >"$work/fsck" 2>/dev/null && grep -q 'is HEALTHY' "$work/fsck" \
    && grep -Eq 'Under-replicated blocks:\s+0 ' "$work/fsck"
}
begun() { grep -cE 'Dayu: recovery [0-9]+ begins' "$work/logs/namenode.log" || true; }
more_than() { [ "$(begun)" -gt "$1" ]; }
journal_has() { [ "$(cat "$work"/logs/dayu-journal-* | wc -c)" -ge "$1" ]; }
some_wait() { dayu -status | grep -Eq ' [1-9][0-9]* blocks wait'; }
nothing_runs() { dayu -status | grep -q '; 0 transfers run;'; }

# none <pattern> <file...>: fails if any file has the pattern.
none() { if grep -E "$@"; then echo "that should not be there" >&2; exit 1; fi; }

say "the release is whole"
(cd "$(dirname "$tarball")" && sha256sum -c --quiet "$(basename "$tarball").sha256")
mkdir "$work/opt"
tar -xzf "$tarball" -C "$work/opt"
release=$(basename "$tarball" .tar.gz)
(cd "$work/opt/$release" && sha256sum -c --quiet SHA256SUMS)
newer=$release
if [ -n "$older" ]; then
  tar -xzf "$older" -C "$work/opt"
  release=$(basename "$older" .tar.gz)
else
  newer=$release-next
  cp -r "$work/opt/$release" "$work/opt/$newer"
fi

say "HDFS is assembled and formatted"
hadoop
rpc=$(free_port)
http=$(free_port)
conf=$work/conf
export HADOOP_CONF_DIR=$conf
mkdir -p "$conf/shellprofile.d"
cat > "$conf/log4j.properties" <<'LOG'
log4j.rootLogger=INFO,console
log4j.appender.console=org.apache.log4j.ConsoleAppender
log4j.appender.console.target=System.err
log4j.appender.console.layout=org.apache.log4j.PatternLayout
log4j.appender.console.layout.ConversionPattern=%d{ISO8601} %p %c{2}: %m%n
LOG
conf without
JAVA_TOOL_OPTIONS="-Dnode=name" "$hdfs" namenode -format -force >"$work/format.log" 2>&1

say "install: a link to the shell profile, and the settings, to begin with shadow mode"
ln -s "$work/opt/$release" "$work/opt/dayu"
ln -s "$work/opt/dayu/shellprofile.d/dayu.sh" "$conf/shellprofile.d/dayu.sh"
some_fault() { ! "$hdfs" dayu -check >"$work/check" 2>/dev/null; }
# Nothing runs yet. Of a virtual network one fault is right; the settings below mend that, and one is of a newer
# version.
"$hdfs" dayu -check >"$work/check" 2>/dev/null || grep -q 'network interfaces do not tell' "$work/check"
none -v -e '^OK: Dayu ' -e 'network interfaces do not tell what they carry' "$work/check"
conf with
some_fault
[ "$(grep -vc '^note: ' "$work/check")" = 1 ] || { cat "$work/check" >&2; exit 1; }
grep -q '^Dayu does not know the setting dayu.of.a.newer.version and ignores it' "$work/check"
mv "$work/opt/$release/lib/dayu-namenode"-*.jar "$work/"
some_fault
grep -q '^note: no jar dayu-namenode is on the class path' "$work/check"
mv "$work"/dayu-namenode-*.jar "$work/opt/$release/lib/"
start namenode namenode
for node in $(seq $datanodes); do start "dn$node" datanode; done
await "Dayu is active with $datanodes agents" agents_are $datanodes
await "state STOCK" state_is STOCK
dayu -status | grep -q 'shadow by dayu.namenode.startup.mode in hdfs-site.xml'
startup=run
conf with
dayu -resume "end of the trial period" >/dev/null
await "state DAYU" state_is DAYU
grep -q 'WARN.*Dayu does not know the setting dayu.of.a.newer.version and ignores it' "$work/logs/namenode.log"
head -c 40000000 /dev/urandom > "$work/data"
"$hdfs" dfs -put "$work/data" /data 2>/dev/null

say "failure: Dayu recovers a DataNode that is killed"
stop dn1 -9
await "the beginning is logged" grep -Eq 'Dayu: recovery [0-9]+ begins' "$work/logs/namenode.log"
await "fsck healthy" healthy
await "the end is logged" grep -Eq 'Dayu: recovery [0-9]+ ends after' "$work/logs/namenode.log"

grep -oE 'Dayu: recovery [0-9]+ (begins|ends).*' "$work/logs/namenode.log"
# Dayu has copied all, and its figures make sense: each DataNode meters what itself moves.
grep -E 'recovery 1 ends' "$work/logs/namenode.log" | grep -qE '; 0 blocks were copied by stock HDFS'
share=$(grep -oE '[0-9]+ % of what alpha allowed' "$work/logs/namenode.log" | grep -oE '^[0-9]+')
[ "$share" -ge 20 ] && [ "$share" -le 150 ]

say "pause: nothing is begun until -resume"
dayu -pause "trial" >/dev/null
stop dn2 -9
await "blocks wait" some_wait
nothing_runs
dayu -status | grep -Eq '^  longest wait  at most [0-9]+ s '
dayu -resume >/dev/null
await "fsck healthy" healthy

say "shadow: stock HDFS recovers, and Dayu logs what it would do"
start dn1 datanode
start dn2 datanode
await "all agents" agents_are $datanodes
dayu -shadow "trial" >/dev/null
# Not one that has come back: its replicas may all have been too many.
stop dn3 -9
await "the plan is logged" grep -Eq 'Dayu \(shadow\): timeslot [0-9]+: would copy [1-9]' "$work/logs/namenode.log"
await "fsck healthy" healthy
dayu -resume >/dev/null
await "state DAYU" state_is DAYU

# move <release> <first> <second>: restarts the daemons with this release, one by one, with a failure while both
# releases are in use.
move() {
  ln -sfn "$work/opt/$1" "$work/opt/dayu"
  for name in $2; do restart "$name"; done
  await "all agents" agents_are $datanodes
  await "state DAYU" state_is DAYU
  dayu -status | grep 'agents '
  before=$(begun)
  stop dn5 -9
  await "the beginning is logged" more_than "$before"
  await "fsck healthy" healthy
  start dn5 datanode
  for name in $3; do restart "$name"; done
  await "all agents, with $1" agents_are $datanodes
  await "state DAYU" state_is DAYU
  await "fsck healthy" healthy
}

say "upgrade from $release to $newer: the link moves, the daemons restart one by one, the NameNode last"
start dn3 datanode
await "all agents" agents_are $datanodes
move "$newer" "dn1 dn2" "dn3 dn4 namenode"

say "the commands of the documentation"
curl -sf "http://127.0.0.1:$http/jmx?qry=Hadoop:service=NameNode,name=DayuStatus" | grep -q '"State" : "DAYU"'
curl -sf "http://127.0.0.1:$http/jmx?qry=Hadoop:service=NameNode,name=Dayu" | grep -q '"TransfersFinished"'
datanode=$(curl -sf "http://127.0.0.1:$http/jmx?qry=Hadoop:service=NameNode,name=NameNodeInfo" |
  grep -oE 'infoAddr[^,]*' | grep -oE '127\.0\.0\.1:[0-9]+' | sed -n 1p)
curl -sf "http://$datanode/jmx?qry=Hadoop:service=DataNode,name=DayuAgent" | grep -q '"ReceivedBytes"'
curl -sf "http://127.0.0.1:$http/prom" >"$work/last.out"
grep -q '^dayu_transfers_finished{' "$work/last.out"
# By which the alert DayuMetricsMissing tells a NameNode without Dayu.
grep -q '^fs_namesystem_blocks_total{' "$work/last.out"
curl -sf "http://$datanode/prom" >"$work/last.out"
grep -q '^dayu_agent_received_bytes{' "$work/last.out"
for path in status nodes plan history settings user; do
  curl -sf "http://127.0.0.1:$http/dayu/api/v1/$path" >/dev/null
done
for command in -nodes -plan -dryRun "-explain /data" "-shadow trial" -resume "-stock trial" -resume \
  "-set dayu.recovery.max-utilization=0.6" "-set dayu.datanode.volume.max-streams=DISK=8,OTHER=64" -help; do
  # shellcheck disable=SC2086
  dayu $command >"$work/last.out"
done
"$hdfs" dfsadmin -refresh "127.0.0.1:$rpc" dayu -status >"$work/last.out" 2>&1
dayu -status | grep -q 'dayu.recovery.max-utilization = 0.6 (set by '
await "state DAYU" state_is DAYU
await "the agents shape by it" \
  grep -q 'RECONFIGURE\* dayu.recovery.max-utilization changed from 0.75 to 0.6' "$work/logs/dn1.log"
await "the agents limit streams by it" \
  grep -q 'RECONFIGURE\* dayu.datanode.volume.max-streams changed from OTHER=64 to ' "$work/logs/dn1.log"

say "the web page: whoever may not steer is refused, a superuser pauses and resumes"
[ "$(post pause x | tail -1)" = 403 ]
post "pause?user.name=$(id -un)" "until six" | tail -1 | grep -q 200
dayu -status | grep -q 'paused by .*: until six'
post "resume?user.name=$(id -un)" "" | tail -1 | grep -q 200
post "set?user.name=$(id -un)" "dayu.recovery.max-utilization=0.7" | tail -1 | grep -q 200
dayu -status | grep -q 'dayu.recovery.max-utilization = 0.7 (set by '
dayu -set dayu.recovery.max-utilization= | grep -q 'max-utilization = 0.75 (default, set back by '
await "the agents shape by their own setting" \
  grep -q 'RECONFIGURE\* dayu.recovery.max-utilization changed from 0.7 to 0.75' "$work/logs/dn1.log"

say "the journal: a recovery is recorded, without a restart"
dayu -set dayu.namenode.journal.max-bytes=16m >/dev/null
before=$(begun)
stop dn4 -9
await "the beginning is logged" more_than "$before"
await "fsck healthy" healthy
await "the recovery is in the journal" journal_has 1024
dayu -set dayu.namenode.journal.max-bytes= >/dev/null
start dn4 datanode
await "all agents" agents_are $datanodes

say "downgrade to $release: the other way round, the NameNode first"
move "$release" "namenode dn1" "dn2 dn3 dn4"
ln -sfn "$work/opt/$newer" "$work/opt/dayu"

say "roll-back: without the settings and the profile, NameNode first"
conf without
rm "$conf/shellprofile.d/dayu.sh"
stop namenode -TERM
start namenode namenode
for node in $(seq $datanodes); do
  stop "dn$node" -TERM
  start "dn$node" datanode
done
await "fsck healthy" healthy
none 'Dayu' "$work/logs/namenode.log"
# The command is asked once more, from the release, and says that Dayu is not active.
ln -s "$work/opt/dayu/shellprofile.d/dayu.sh" "$conf/shellprofile.d/dayu.sh"
code=0
dayu -status || code=$?
[ $code -eq 5 ]
rm "$conf/shellprofile.d/dayu.sh"
say "stock HDFS recovers"
stop dn3 -9
await "the death is known" sh -c "! '$hdfs' fsck / 2>/dev/null | grep -Eq 'Number of data-nodes:\s+$datanodes'"
await "fsck healthy" healthy
none '(NoClassDefFound|NoSuchMethod|NoSuchField|AbstractMethod|IllegalAccess)Error' "$work"/logs/*
