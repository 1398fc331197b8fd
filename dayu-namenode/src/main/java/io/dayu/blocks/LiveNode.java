/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.blocks;

/**
 * A DataNode that the NameNode considers alive, copied out of its descriptor. Immutable.
 *
 * @param uuid the DataNode's UUID
 * @param ipAddress address for data transfer
 * @param hostName host name for data transfer
 * @param transferPort port for data transfer
 * @param rack its rack, which may hold several network locations (node groups)
 * @param target whether new replicas may go there: in service, not stale, and not left out by the placement policy as
 *     slow
 * @param maxVolumeFreeBytes free space of the volume with the most, by ordinal of {@code StorageType}
 * @param volumes healthy volumes by ordinal of {@code StorageType}
 * @param upgradeDomain name of its upgrade domain as {@link WaitingBlock#forbiddenFaultDomains} has it, or null if the
 *     placement policy knows none
 * @param leaving whether it is decommissioning or entering maintenance
 * @param xceiversIfOverloaded its xceivers (threads of data transfer), if the placement policy finds them too many
 *     for a target ({@code dfs.namenode.redundancy.considerLoad}); else 0
 * @param usedPercent how much of its space HDFS uses, if the placement policy prefers emptier nodes; else 0
 * @param freeBytes free space of all healthy volumes together
 * @param lastSource whether it is to send only blocks that no other node can
 * @param urgent whether its blocks go before the others of their risk
 */
public record LiveNode(String uuid, String ipAddress, String hostName, int transferPort, String rack, boolean target,
    long[] maxVolumeFreeBytes, int[] volumes, String upgradeDomain, boolean leaving, int xceiversIfOverloaded,
    float usedPercent, long freeBytes, boolean lastSource, boolean urgent) {

  /** A node whose blocks have no haste. */
  public LiveNode(String uuid, String ipAddress, String hostName, int transferPort, String rack, boolean target,
      long[] maxVolumeFreeBytes, int[] volumes, String upgradeDomain, boolean leaving, int xceiversIfOverloaded,
      float usedPercent, long freeBytes, boolean lastSource) {
    this(uuid, ipAddress, hostName, transferPort, rack, target, maxVolumeFreeBytes, volumes, upgradeDomain, leaving,
        xceiversIfOverloaded, usedPercent, freeBytes, lastSource, false);
  }

  /** The node as HDFS's own commands name it. */
  public String name() {
    return hostName + ":" + transferPort;
  }

  /** The same node, as one that gets no new replicas. */
  public LiveNode withoutNewReplicas() {
    return new LiveNode(uuid, ipAddress, hostName, transferPort, rack, false, maxVolumeFreeBytes, volumes,
        upgradeDomain, leaving, xceiversIfOverloaded, usedPercent, freeBytes, lastSource, urgent);
  }

  /** The same node, as one that sends only blocks that no other node can. */
  public LiveNode asLastSource() {
    return new LiveNode(uuid, ipAddress, hostName, transferPort, rack, target, maxVolumeFreeBytes, volumes,
        upgradeDomain, leaving, xceiversIfOverloaded, usedPercent, freeBytes, true, urgent);
  }

  /** The same node, whose blocks go before the others of their risk. */
  public LiveNode asUrgent() {
    return new LiveNode(uuid, ipAddress, hostName, transferPort, rack, target, maxVolumeFreeBytes, volumes,
        upgradeDomain, leaving, xceiversIfOverloaded, usedPercent, freeBytes, lastSource, true);
  }

  /** Whether the block may not go to this node, because of its rack or its upgrade domain. */
  public boolean isForbidden(WaitingBlock block) {
    return block.forbiddenFaultDomains().contains(rack)
        || upgradeDomain != null && block.forbiddenFaultDomains().contains(upgradeDomain);
  }
}
