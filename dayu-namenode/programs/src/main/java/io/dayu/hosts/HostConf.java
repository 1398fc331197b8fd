/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import io.dayu.hosts.client.Topology;
import org.apache.hadoop.conf.Configuration;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Writes the configuration directory of one host: HDFS's settings, log4j's, the names of all hosts and the racks.
 * Immutable.
 *
 * @param layout which hosts there are
 * @param addresses of all hosts by name
 * @param directory of the run; that of a host is below it
 * @param settings further settings of all daemons
 */
record HostConf(HostLayout layout, Map<String, String> addresses, Path directory, Map<String, String> settings) {
  /** The system property with the file that a process logs to. */
  static final String LOG_PROPERTY = "hosts.log";
  static final int RPC_PORT = 8020;

  /** Of a NameNode's metadata or of a DataNode's volumes. */
  Path storage(String host) {
    return directory.resolve(host);
  }

  HostStorage dataNodeStorage(int node) {
    return new HostStorage(storage(Topology.dataNode(node)), layout.volumes());
  }

  /** The addresses of the DataNodes that are to be decommissioned, one a line. */
  Path excludeFile() {
    return directory.resolve("exclude");
  }

  Path namesFile(String host) {
    return directory.resolve("conf-" + host).resolve("names");
  }

  /** Writes it and returns the directory, the first entry of the class path of the host's processes. */
  Path write(String host) throws IOException {
    Path conf = Files.createDirectories(directory.resolve("conf-" + host));
    // The jars of Maven Central have no web applications; without these directories the daemons' web servers do not
    // start.
    for (String web : List.of("webapps/hdfs", "webapps/datanode", "webapps/journal", "webapps/static", "static")) {
      Files.createDirectories(conf.resolve(web));
    }
    Path racks = conf.resolve("racks");
    Configuration site = new Configuration(false);
    commonSettings(host, racks).forEach(site::set);
    settings.forEach(site::set);
    for (String file : List.of("core-site.xml", "hdfs-site.xml")) {
      ByteArrayOutputStream xml = new ByteArrayOutputStream();
      site.writeXml(xml);
      put(conf.resolve(file), xml.toString(StandardCharsets.UTF_8));
    }
    put(conf.resolve("log4j.properties"), LOG4J);
    if (!Files.exists(excludeFile())) {
      Files.createFile(excludeFile());
    }
    put(racks, nodeNames().stream()
        .map(node -> addresses.get(node.getKey()) + " " + node.getValue() + "\n" + node.getKey() + " " + node.getValue()
            + "\n")
        .collect(Collectors.joining()));
    String names = addresses.entrySet().stream().map(entry -> entry.getValue() + " " + entry.getKey() + "\n")
        .collect(Collectors.joining());
    put(namesFile(host), names + ownNameEntry(host));
    return conf;
  }

  /** A process that is starting may be reading it. */
  private static void put(Path file, String text) throws IOException {
    if (!Files.exists(file) || !Files.readString(file).equals(text)) {
      Files.writeString(file, text);
    }
  }

  /** The entry of the file of names that has the machine's own name; empty where that does not resolve. */
  private String ownNameEntry(String host) {
    try {
      return addresses.get(host) + " " + InetAddress.getLocalHost().getHostName() + "\n";
    } catch (UnknownHostException e) {
      return "";
    }
  }

  private List<Map.Entry<String, String>> nodeNames() {
    Map<String, String> racks = new LinkedHashMap<>();
    for (int node = 0; node < layout.topology().nodes(); node++) {
      racks.put(Topology.dataNode(node), layout.topology().rack(node));
    }
    return List.copyOf(racks.entrySet());
  }

  /** The host itself if it is a NameNode's, else any of them. */
  private String nameNode(String host) {
    return layout.nameNodeHosts().contains(host) ? host : Topology.NAME_NODE;
  }

  private Map<String, String> commonSettings(String host, Path racks) {
    Map<String, String> common = new LinkedHashMap<>();
    if (layout.nameNodes() == 1) {
      common.put("fs.defaultFS", "hdfs://" + Topology.NAME_NODE + ":" + RPC_PORT);
      common.put("dfs.namenode.http-address", Topology.NAME_NODE + ":" + Topology.HTTP_PORT);
    } else {
      common.putAll(HighAvailability.settings(host, layout.nameNodeHosts(), directory.resolve("shared-edits")));
    }
    common.put("hadoop.tmp.dir", directory.resolve("tmp-" + host).toString());
    common.put("net.topology.node.switch.mapping.impl", "org.apache.hadoop.net.TableMapping");
    common.put("net.topology.table.file.name", racks.toString());
    common.put("dfs.replication", Integer.toString(Topology.REPLICATION));
    common.put("dfs.namenode.name.dir", storage(nameNode(host)).toUri().toString());
    common.put("dfs.hosts.exclude", excludeFile().toString());
    common.put("dfs.namenode.fs-limits.min-block-size", "1024");
    common.put("dfs.namenode.safemode.min.datanodes", Integer.toString(layout.topology().nodes()));
    common.put("dfs.namenode.safemode.extension", "0");
    // A killed DataNode is dead after some 15 s.
    common.put("dfs.heartbeat.interval", "1");
    common.put("dfs.namenode.heartbeat.recheck-interval", "2000");
    common.put("dfs.datanode.hostname", host);
    common.put("dfs.datanode.data.dir", new HostStorage(storage(host), layout.volumes()).uris());
    common.put("dfs.datanode.directoryscan.interval", "-1");
    common.put("dfs.block.scanner.volume.bytes.per.second", "0");
    return common;
  }

  private static final String LOG4J = """
      log4j.rootLogger=INFO,file
      log4j.appender.file=org.apache.log4j.FileAppender
      log4j.appender.file.File=${hosts.log}
      log4j.appender.file.Append=false
      log4j.appender.file.layout=org.apache.log4j.PatternLayout
      log4j.appender.file.layout.ConversionPattern=%d{ISO8601} %-5p %c{2} [%t] %m%n
      log4j.logger.org.apache.hadoop.hdfs.server.namenode.FSNamesystem.audit=WARN
      log4j.logger.org.apache.hadoop.hdfs.server.datanode.DataNode.clienttrace=WARN
      """;
}
