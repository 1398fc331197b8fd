/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.cli;

import io.dayu.admin.AdminException;
import io.dayu.admin.ExitCode;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.DFSUtilClient;
import org.apache.hadoop.hdfs.HAUtilClient;

import java.net.InetSocketAddress;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The NameNodes of one nameservice, as the client's configuration names them. No state. */
final class NameNodes {
  private NameNodes() {
  }

  /**
   * The NameNodes of the default file system, which {@code -fs} overrides.
   *
   * @throws AdminException if that is no HDFS
   */
  static List<InetSocketAddress> of(Configuration conf) throws AdminException {
    URI uri = FileSystem.getDefaultUri(conf);
    if (!"hdfs".equals(uri.getScheme()) || uri.getHost() == null) {
      throw new AdminException(ExitCode.USAGE,
          "the default file system " + uri + " is no HDFS; name one by -fs hdfs://<nameservice or host:port>");
    }
    if (!HAUtilClient.isLogicalUri(conf, uri)) {
      return List.of(DFSUtilClient.getNNAddress(uri));
    }
    Map<String, InetSocketAddress> found = DFSUtilClient.getHaNnRpcAddresses(conf).get(uri.getHost());
    if (found == null || found.isEmpty()) {
      throw new AdminException(ExitCode.USAGE, "the configuration names no NameNode of nameservice " + uri.getHost()
          + "; is this host's hdfs-site.xml the cluster's?");
    }
    return List.copyOf(found.values());
  }

  /** The nameservice of several NameNodes of which the default file system names one only. */
  static Optional<String> nameserviceOfOne(Configuration conf) {
    URI uri = FileSystem.getDefaultUri(conf);
    if (HAUtilClient.isLogicalUri(conf, uri)) {
      return Optional.empty();
    }
    try {
      InetSocketAddress one = DFSUtilClient.getNNAddress(uri);
      return DFSUtilClient.getHaNnRpcAddresses(conf).entrySet().stream()
          .filter(service -> service.getKey() != null && service.getValue().size() > 1
              && service.getValue().containsValue(one))
          .map(Map.Entry::getKey).findFirst();
    } catch (IllegalArgumentException e) {
      // An address of another nameservice is malformed: this is about a remark only.
      return Optional.empty();
    }
  }
}
