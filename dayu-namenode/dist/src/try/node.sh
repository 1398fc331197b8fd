#!/usr/bin/env bash
# Licensed under the Apache License, Version 2.0; see LICENSE.
#
# One member of a small HDFS with Dayu, for a first look: writes its configuration and becomes the daemon. compose.yml
# runs it in containers; it also runs without them, as a process of its own.
#
#   node.sh namenode | datanode | load
#
# Its settings, as environment variables:
#   HDFS          Hadoop's script (hdfs of HADOOP_HOME, or of the path)
#   TRY_DIR       where it keeps its configuration and data (/tmp/dayu-try)
#   NAMENODE      host of the NameNode (namenode)
#   RPC_PORT, HTTP_PORT      its ports (8020, 9870)
#   DATANODE_PORTS           of a DataNode: fixed, Hadoop's defaults; any, for several on a host (fixed)
#   METER         dayu.datanode.meter (nic)
#   BANDWIDTH     dayu.datanode.bandwidthPerSec: what a node's network is taken for (20m)
#   FILES         number of files of 16 MB that `load` writes before it reads them for ever (20)
#   READERS       of these files, each at half of BANDWIDTH: with three DataNodes left, half of what these send (3)
set -euo pipefail
role=${1:-nothing}
case $role in
  namenode | datanode | load) ;;
  *)
    echo "node.sh namenode | datanode | load, not $role" >&2
    exit 2
    ;;
esac
dayu=$(cd "$(dirname "$0")/.." && pwd -P)
dir=${TRY_DIR:-/tmp/dayu-try}
namenode=${NAMENODE:-namenode}
rpc=${RPC_PORT:-8020}
http=${HTTP_PORT:-9870}
hdfs=${HDFS:-${HADOOP_HOME:+$HADOOP_HOME/bin/}hdfs}
conf=$dir/conf

property() { echo "  <property><name>$1</name><value>$2</value></property>"; }

configure() {
  mkdir -p "$conf/shellprofile.d" "$dir/data" "$dir/logs"
  # Read by bash, so that no mode of a mounted directory matters.
  ln -sfn "$dayu/shellprofile.d/dayu.sh" "$conf/shellprofile.d/dayu.sh"
  cat > "$conf/log4j.properties" <<'LOG'
log4j.rootLogger=INFO,console
log4j.appender.console=org.apache.log4j.ConsoleAppender
log4j.appender.console.target=System.err
log4j.appender.console.layout=org.apache.log4j.PatternLayout
log4j.appender.console.layout.ConversionPattern=%d{ISO8601} %p %c{2}: %m%n
LOG
  {
    echo "<configuration>"
    property fs.defaultFS "hdfs://$namenode:$rpc"
    property hadoop.prometheus.endpoint.enabled true
    echo "</configuration>"
  } > "$conf/core-site.xml"
  {
    echo "<configuration>"
    property dfs.namenode.plugins io.dayu.namenode.DayuNameNodePlugin
    property dfs.datanode.plugins io.dayu.datanode.DayuDataNodePlugin
    property dayu.datanode.bandwidthPerSec "${BANDWIDTH:-20m}"
    property dayu.datanode.meter "${METER:-nic}"
    property dfs.namenode.name.dir "$dir/data/name"
    property dfs.datanode.data.dir "$dir/data/blocks"
    property dfs.namenode.rpc-bind-host 0.0.0.0
    property dfs.namenode.http-address "0.0.0.0:$http"
    # Containers have no names that the NameNode could look up.
    property dfs.namenode.datanode.registration.ip-hostname-check false
    property dfs.blocksize 4194304
    property dfs.replication 3
    # A DataNode is dead after 14 s instead of ten minutes, so that one need not wait to see what Dayu does.
    property dfs.heartbeat.interval 1
    property dfs.namenode.heartbeat.recheck-interval 2000
    property dfs.namenode.safemode.extension 0
    if [ "${DATANODE_PORTS:-fixed}" = any ]; then
      for address in address ipc.address http.address; do property "dfs.datanode.$address" 127.0.0.1:0; done
    fi
    echo "</configuration>"
  } > "$conf/hdfs-site.xml"
  export HADOOP_CONF_DIR=$conf HADOOP_LOG_DIR=$dir/logs HADOOP_PID_DIR=$dir
}

# Reads from a pipe at this many bytes a second, a quarter of a second's worth at a time.
read_at() {
  while [ "$(head -c $(($1 / 4)) | wc -c)" -gt 0 ]; do sleep 0.25; done
}

# Reads all files in random order, again and again: the reader of a block takes it from one of its DataNodes.
reader() {
  local files rate
  rate=$(($(numfmt --from=iec "$(tr kmgt KMGT <<<"${BANDWIDTH:-20m}")") / 2))
  while true; do
    mapfile -t files < <(seq -f '/load/%.0f' "${FILES:-20}" | shuf)
    { "$hdfs" dfs -cat "${files[@]}" || sleep 2; } | read_at "$rate"
  done
}

configure
case $role in
  namenode)
    "$hdfs" dayu -check namenode
    [ -d "$dir/data/name/current" ] || "$hdfs" namenode -format -nonInteractive
    exec "$hdfs" namenode
    ;;
  datanode)
    "$hdfs" dayu -check datanode
    exec "$hdfs" datanode
    ;;
  load)
    head -c 16777216 /dev/urandom > "$dir/file"
    until "$hdfs" dfs -mkdir -p /load; do sleep 2; done
    for file in $(seq "${FILES:-20}"); do
      until "$hdfs" dfs -put -f "$dir/file" "/load/$file"; do sleep 2; done
    done
    echo "load: ${FILES:-20} files are written"
    for _ in $(seq "${READERS:-3}"); do reader & done
    wait
    ;;
esac
