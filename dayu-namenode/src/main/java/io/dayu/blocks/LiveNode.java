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
 * @param rack its rack, which may hold several network locations (node groups)
 */
public record LiveNode(Address address, String rack, Space space, Status status, Placement placement) {
  /**
   * Where it is reached for data transfer.
   *
   * @param uuid the DataNode's UUID
   */
  public record Address(String uuid, String ipAddress, String hostName, int transferPort) {
  }

  /**
   * Its volumes.
   *
   * @param maxVolumeFreeBytes free space of the volume with the most, by ordinal of {@code StorageType}
   * @param volumes healthy volumes by ordinal of {@code StorageType}
   * @param freeBytes free space of all healthy volumes together
   */
  public record Space(long[] maxVolumeFreeBytes, int[] volumes, long freeBytes) {
  }

  /**
   * What plans may have it do.
   *
   * @param target whether new replicas may go there: in service, not stale, and not left out by the placement policy as
   *     slow
   * @param leaving whether it is decommissioning or entering maintenance
   * @param lastSource whether it is to send only blocks that no other node can
   * @param urgent whether its blocks go before the others of their risk
   * @param sourceFailed whether transfers from it have failed lately, and none has been completed since
   */
  public record Status(boolean target, boolean leaving, boolean lastSource, boolean urgent, boolean sourceFailed) {
    /** A node that is used as any other, and whose blocks have no haste. */
    public Status(boolean target, boolean leaving) {
      this(target, leaving, false, false, false);
    }
  }

  /**
   * What the placement policy looks at.
   *
   * @param upgradeDomain name of its upgrade domain as {@link WaitingBlock#forbiddenFaultDomains} has it, or null if
   *     the policy knows none
   * @param xceiversIfOverloaded its xceivers (threads of data transfer), if the policy finds them too many for a target
   *     ({@code dfs.namenode.redundancy.considerLoad}); else 0
   * @param usedPercent how much of its space HDFS uses, if the policy prefers emptier nodes; else 0
   */
  public record Placement(String upgradeDomain, int xceiversIfOverloaded, float usedPercent) {
    /** Of a node that the policy takes as any other. */
    public static final Placement NONE = new Placement(null, 0, 0);
  }

  public String uuid() {
    return address.uuid;
  }

  public String ipAddress() {
    return address.ipAddress;
  }

  public int transferPort() {
    return address.transferPort;
  }

  /** Whether new replicas may go there. */
  public boolean target() {
    return status.target;
  }

  /** The node as HDFS's own commands name it. */
  public String name() {
    return address.hostName + ":" + address.transferPort;
  }

  /** The same node with another status. */
  public LiveNode with(Status other) {
    return new LiveNode(address, rack, space, other, placement);
  }

  /** The same node, as one that gets no new replicas. */
  public LiveNode withoutNewReplicas() {
    return with(new Status(false, status.leaving, status.lastSource, status.urgent, status.sourceFailed));
  }

  /** The same node, as one that sends only blocks that no other node can. */
  public LiveNode asLastSource() {
    return with(new Status(status.target, status.leaving, true, status.urgent, status.sourceFailed));
  }

  /** The same node, as one from which transfers have failed lately. */
  public LiveNode asFailedSource() {
    return with(new Status(status.target, status.leaving, status.lastSource, status.urgent, true));
  }

  /** The same node, whose blocks go before the others of their risk. */
  public LiveNode asUrgent() {
    return with(new Status(status.target, status.leaving, status.lastSource, true, status.sourceFailed));
  }

  /** Whether the block may not go to this node, because of its rack or its upgrade domain. */
  public boolean isForbidden(WaitingBlock block) {
    return block.forbiddenFaultDomains().contains(rack) || placement.upgradeDomain != null
        && block.forbiddenFaultDomains().contains(placement.upgradeDomain);
  }
}
