#!/usr/bin/env bash
# Licensed under the Apache License, Version 2.0; see LICENSE.
#
# Dayu in Hadoop's scripts: puts Dayu's jar on the class path of NameNodes and DataNodes, each its own, and adds the command
# `hdfs dayu`. Link or copy this file to $HADOOP_CONF_DIR/shellprofile.d/. Nothing goes into Hadoop's own folders.
#
# DAYU_HOME is where the release was unpacked; it need not be set where this file is a link into it. hadoop-env.sh may set it.

hadoop_add_profile dayu

if [[ "${HADOOP_SHELL_EXECNAME}" = hdfs ]]; then
  hadoop_add_subcommand "dayu" admin "see and steer the recovery of lost replicas by Dayu"
fi

function dayu_home
{
  if [[ -n "${DAYU_HOME}" ]]; then
    echo "${DAYU_HOME}"
  else
    (cd -P -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/.." && pwd -P)
  fi
}

function dayu_has_jar
{
  compgen -G "$(dayu_home)/lib/$1-*.jar" >/dev/null
}

# Adds the one jar of this name to the class path.
function dayu_add_jar
{
  local found
  local home
  home=$(dayu_home)
  found=("${home}"/lib/"$1"-*.jar)
  if [[ ${#found[@]} -ne 1 || ! -f "${found[0]}" ]]; then
    hadoop_error "ERROR: expected one ${home}/lib/$1-<version>.jar, found: ${found[*]}. Set DAYU_HOME to where Dayu was unpacked."
    exit 1
  fi
  hadoop_add_classpath "${found[0]}"
}

# Hadoop calls this when it knows the command, before it makes the class path.
function _dayu_hadoop_finalize
{
  if [[ "${HADOOP_SHELL_EXECNAME}" = hdfs ]]; then
    case "${HADOOP_SUBCMD}" in
      namenode) dayu_add_jar dayu-namenode ;;
      datanode) dayu_add_jar dayu-datanode ;;
      dayu)
        # Both, for -check. Where the host has the DataNode's jar alone, -check is the only command.
        if dayu_has_jar dayu-datanode; then dayu_add_jar dayu-datanode; fi
        if dayu_has_jar dayu-namenode || ! dayu_has_jar dayu-datanode; then dayu_add_jar dayu-namenode; fi
        ;;
    esac
  fi
}

function hdfs_subcommand_dayu
{
  # shellcheck disable=SC2034
  if dayu_has_jar dayu-namenode; then
    HADOOP_CLASSNAME=io.dayu.cli.DayuCommand
  else
    HADOOP_CLASSNAME=io.dayu.check.CheckCommand
  fi
}
