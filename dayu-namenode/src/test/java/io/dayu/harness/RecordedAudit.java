/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.hdfs.server.namenode.AuditLogger;

import java.net.InetAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Notes what the NameNodes of this process write to HDFS's audit log about Dayu's commands. Thread-safe. */
public final class RecordedAudit implements AuditLogger {
  private static final List<String> EVENTS = new CopyOnWriteArrayList<>();

  /** {@code true} or {@code false}, user, address, command, argument and refusal, in brackets, oldest first. */
  public static List<String> events() {
    return List.copyOf(EVENTS);
  }

  public static void clear() {
    EVENTS.clear();
  }

  @Override
  public void initialize(Configuration conf) {
    // It notes all.
  }

  @Override
  public void logAuditEvent(boolean succeeded, String userName, InetAddress addr, String cmd, String src, String dst,
      FileStatus stat) {
    if (cmd.startsWith("dayu ")) {
      EVENTS.add(succeeded + " [" + userName + "] [" + addr.getHostAddress() + "] [" + cmd + "] [" + src + "] ["
          + dst + "]");
    }
  }
}
