/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts.faults;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** What may happen to a host or daemon for a while, and is undone after it. */
public enum FaultKind {
  PARTITION("partition", Target.DATA_NODE, "is cut off from all hosts", "is connected again"),
  CUT_OUT("cut-out", Target.DATA_NODE, "sends in vain", "is heard again"),
  CUT_IN("cut-in", Target.DATA_NODE, "receives nothing", "receives again"),
  CUT_PEER("cut-peer", Target.DATA_NODE, "sends to one other DataNode in vain", "is heard by all again"),
  LIMP("limp", Target.DATA_NODE, "has a tenth of its link", "has all of its link again"),
  PAUSE("pause", Target.DATA_NODE, "is stopped (SIGSTOP)", "goes on (SIGCONT)"),
  KILL("kill", Target.DATA_NODE, "is killed (SIGKILL)", "is started again"),
  DISK_GONE("disk-gone", Target.DATA_NODE, "loses a disk", "is started again with an empty disk"),
  DISK_BACK("disk-back", Target.DATA_NODE, "has a disk that fails", "is started again with that disk as it was"),
  DISK_READ_ONLY("disk-read-only", Target.DATA_NODE, "has a disk that becomes read-only", "is started again with that"
      + " disk writable"),
  DISK_FULL("disk-full", Target.DATA_NODE, "has full disks", "has room again"),
  CLOCK("clock", Target.DATA_NODE, "has a clock that is set wrong", "has a clock that is set right"),
  UPGRADE("upgrade", Target.DATA_NODE, "is stopped for another version", "is started with the other version"),
  ACTIVE_PAUSE("active-pause", Target.NAME_NODES, "active: is stopped (SIGSTOP)", "goes on (SIGCONT)"),
  ACTIVE_CUT_OUT("active-cut-out", Target.NAME_NODES, "active: sends in vain", "is heard again"),
  ACTIVE_CUT_IN("active-cut-in", Target.NAME_NODES, "active: receives nothing", "receives again"),
  ACTIVE_CLOCK("active-clock", Target.NAME_NODES, "active: has a clock that is set wrong", "has a clock that is set"
      + " right"),
  FAILOVER_KILL("failover-kill", Target.NAME_NODES, "active: is killed, and the other becomes active", "is started"
      + " again"),
  FAILOVER_PAUSE("failover-pause", Target.NAME_NODES, "active: is stopped, and the other becomes active", "goes on, and"
      + " soon is killed and started again"),
  FAILOVER_PARTITION("failover-partition", Target.NAME_NODES, "active: is cut off, and the other becomes active", "is"
      + " connected again, and soon killed and started again"),
  FAILOVER_UPGRADE("failover-upgrade", Target.NAME_NODES, "active: is stopped, and the other becomes active", "is"
      + " started with the other version"),
  STANDBY_KILL("standby-kill", Target.NAME_NODES, "standby: is killed", "is started again");

  /** Whom a fault hits. */
  public enum Target {
    DATA_NODE, NAME_NODES
  }

  private final String id;
  private final Target target;
  private final String beginText;
  private final String endText;

  FaultKind(String id, Target target, String beginText, String endText) {
    this.id = id;
    this.target = target;
    this.beginText = beginText;
    this.endText = endText;
  }

  /** As it stands in properties. */
  public String id() {
    return id;
  }

  public Target target() {
    return target;
  }

  /** What happens, after the name of the host; for people. */
  public String beginText() {
    return beginText;
  }

  /** How it is undone. */
  public String endText() {
    return endText;
  }

  /** Whether replicas are gone after it. A read-only file system may have lost what was written just before. */
  public boolean losesData() {
    return this == DISK_GONE || this == DISK_READ_ONLY;
  }

  /** Whether it needs volumes with file systems of their own. */
  public boolean needsFileSystems() {
    return this == DISK_READ_ONLY || this == DISK_FULL;
  }

  /** Whether it needs a clock for each host. */
  public boolean needsClocks() {
    return this == CLOCK || this == ACTIVE_CLOCK;
  }

  /** Whether it needs another version of the jars. */
  public boolean needsOtherVersion() {
    return this == UPGRADE || this == FAILOVER_UPGRADE;
  }

  public static Optional<FaultKind> byId(String id) {
    return Arrays.stream(values()).filter(kind -> kind.id.equals(id)).findFirst();
  }

  public static List<String> ids() {
    return Arrays.stream(values()).map(FaultKind::id).toList();
  }
}
