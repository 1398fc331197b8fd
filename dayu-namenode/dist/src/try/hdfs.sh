#!/usr/bin/env bash
# Licensed under the Apache License, Version 2.0; see LICENSE.
#
# Hadoop's hdfs with the configuration that node.sh has written here: hdfs.sh dayu -status
set -euo pipefail
export HADOOP_CONF_DIR=${TRY_DIR:-/tmp/dayu-try}/conf
exec "${HDFS:-${HADOOP_HOME:+$HADOOP_HOME/bin/}hdfs}" "$@"
