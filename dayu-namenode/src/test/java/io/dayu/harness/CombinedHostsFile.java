/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness;

import org.apache.hadoop.hdfs.protocol.DatanodeAdminProperties;
import org.apache.hadoop.hdfs.protocol.DatanodeID;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo.AdminStates;
import org.apache.hadoop.hdfs.util.CombinedHostsFileWriter;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;

/**
 * The file in which an admin tells the NameNodes which DataNodes are to leave, and how; those that it does not name are
 * in service. Not thread-safe. In the format of HDFS's {@code CombinedHostFileManager}, which alone knows maintenance.
 */
final class CombinedHostsFile {
  private final Path file;
  private final Map<Integer, DatanodeAdminProperties> leaving = new HashMap<>();

  /** Writes a file that names no DataNode. */
  CombinedHostsFile(Path file) throws IOException {
    this.file = file;
    write();
  }

  Path path() {
    return file;
  }

  /** @param state {@code DECOMMISSIONED} or {@code IN_MAINTENANCE}: where the DataNode is to get to */
  void leave(int node, DatanodeID address, AdminStates state) throws IOException {
    DatanodeAdminProperties entry = new DatanodeAdminProperties();
    entry.setHostName(address.getIpAddr());
    entry.setPort(address.getXferPort());
    entry.setAdminState(state);
    leaving.put(node, entry);
    write();
  }

  void comeBack(int node) throws IOException {
    leaving.remove(node);
    write();
  }

  private void write() throws IOException {
    CombinedHostsFileWriter.writeFile(file.toString(), new HashSet<>(leaving.values()));
  }
}
