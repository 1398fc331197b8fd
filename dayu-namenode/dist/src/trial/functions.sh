# Licensed under the Apache License, Version 2.0; see LICENSE.
#
# To be read by bash: what trial.sh and check-try.sh share. They set work, a directory, and limit_sec.

# hadoop_jars <directory>: HDFS from Hadoop's released jars, for the script hdfs beside this file. Sets HADOOP_JARS to
# HDFS's class path. Maven fetches the jars of HADOOP_VERSION (3.4.3).
hadoop_jars() {
  local work=$1 artifact
  {
    printf '%s' "<project><modelVersion>4.0.0</modelVersion><groupId>io.dayu</groupId>"
    printf '%s' "<artifactId>trial-hadoop</artifactId><version>1</version><packaging>pom</packaging><dependencies>"
    for artifact in hadoop-common hadoop-hdfs-client hadoop-hdfs; do
      printf '%s' "<dependency><groupId>org.apache.hadoop</groupId><artifactId>$artifact</artifactId>"
      printf '%s' "<version>${HADOOP_VERSION:-3.4.3}</version></dependency>"
    done
    printf '%s' "</dependencies></project>"
  } > "$work/pom.xml"
  # shellcheck disable=SC2086
  mvn ${MAVEN_ARGS:-} -B -ntp -q -Dstyle.color=never -f "$work/pom.xml" \
    org.apache.maven.plugins:maven-dependency-plugin:3.8.1:build-classpath \
    -Dmdep.outputFile="$work/jars" -DincludeScope=runtime
  # The daemons' web pages are not in the jars; the daemons want their directories.
  mkdir -p "$work"/web/webapps/{hdfs,datanode,static} "$work/web/static"
  HADOOP_JARS="$work/web:$(cat "$work/jars")"
  export HADOOP_JARS
}

# await <what> <command...>: until the command succeeds.
await() {
  local what=$1 end=$((SECONDS + limit_sec))
  shift
  until "$@" >"$work/last.out" 2>&1; do
    if [ $SECONDS -ge $end ]; then
      echo "not within $limit_sec s: $what; last:" >&2
      tail -5 "$work/last.out" >&2
      exit 1
    fi
    sleep 1
  done
}

free_port() {
  local port
  while true; do
    port=$((20000 + RANDOM % 10000))
    (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || { echo "$port"; return; }
  done
}
