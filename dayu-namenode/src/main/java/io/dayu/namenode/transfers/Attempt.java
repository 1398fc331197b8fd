/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.transfers;

import io.dayu.blocks.BlockKey;
import io.dayu.blocks.LiveNode;
import io.dayu.blocks.TransferRequest;
import io.dayu.protocol.DayuProtos.SourceProto;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * One try at making one copy, from its commit until the NameNode's registration of it has ended. Owned by the recovery
 * loop; not thread-safe.
 *
 * <p>GRANTED (published, not reported yet) → RUNNING (reported) → ended when complete; or → CANCELLED (no longer
 * published; the agent may still be working on it) → ended when the agent has obeyed or the lease has ended. Only
 * then may the block go elsewhere.
 */
public final class Attempt {
  /** Where it stands. */
  public enum Phase { GRANTED, RUNNING, CANCELLED }

  public final long id;
  public final TransferRequest request;
  final String storageId;
  final String storageType;
  public final Set<String> failedSources = new HashSet<>(0);
  /** Sources that were given up because they are slow: better than none. */
  private final Set<String> slowSources = new HashSet<>(0);
  public final ProgressWatch watch = new ProgressWatch();

  public Phase phase;
  /** Its place in the tracker's list. */
  int index;
  /** Present source, or the last one while {@link #sourceLost}. */
  public String source;
  public boolean sourceLost;
  /** Whether it was given up because it is slow: then bytes from it do not make it a good source again. */
  boolean sourceSlow;
  /** Where the source was when last seen alive. */
  SourceProto sourceAddress;
  public long rateBytesPerSec;
  /** When its target's agent last reported how far it is, or when it was granted or adopted. */
  long reportedNs;
  public long doneBytes;
  /** What its target had of the block when this NameNode adopted the transfer. */
  public long earlierBytes;
  public long achievedBytesPerSec;
  /** Sequence of the target's commands in which it was first granted or, once cancelled, first left out. */
  long sequence;
  /** When it was last compared with the block map, or registered. */
  long checkedNs;
  /** When it was granted or adopted, and at which rate. */
  public long startedNs;
  public long initialRateBytesPerSec;
  /** When it was cancelled. */
  long cancelledNs;
  /** Whether the agent has said that it was done, and when it did. */
  public boolean reportedDone;
  public long reportedDoneNs;
  public List<String> candidateSources;
  /**
   * Nodes and racks that the block may not go to, as far as they are known: for when another target would be better.
   */
  public List<String> holders = List.of();
  public List<String> forbiddenFaultDomains = List.of();

  public Attempt(long id, TransferRequest request, String storageId, String storageType, Phase phase) {
    this.id = id;
    this.request = request;
    this.storageId = storageId;
    this.storageType = storageType;
    this.phase = phase;
    this.source = request.source();
    this.candidateSources = List.of(request.source());
  }

  public BlockKey block() {
    return request.block();
  }

  public String target() {
    return request.target();
  }

  /** Whether the scheduler may still count on it. */
  public boolean live() {
    return phase != Phase.CANCELLED && !reportedDone;
  }

  /** The nodes that could send it, without those that failed, and without slow ones unless no other is left. */
  public List<String> usableSources() {
    if (failedSources.isEmpty() && slowSources.isEmpty()) {
      return candidateSources;
    }
    List<String> working = candidateSources.stream().filter(node -> !failedSources.contains(node)).toList();
    List<String> fast = working.stream().filter(node -> !slowSources.contains(node)).toList();
    return fast.isEmpty() ? working : fast;
  }

  void loseSource() {
    failedSources.add(source);
    sourceLost = true;
  }

  /** The source is to be replaced because it is slow. */
  void leaveSlowSource() {
    slowSources.add(source);
    sourceSlow = true;
    sourceLost = true;
  }

  void moveTo(String newSource) {
    source = newSource;
    sourceLost = false;
    sourceSlow = false;
  }

  /** One line for people. */
  public String describe(Map<String, LiveNode> nodes) {
    return block() + " from " + name(nodes, source) + " to " + name(nodes, target()) + ": " + doneBytes + " of "
        + request.numBytes()
        + " bytes at " + achievedBytesPerSec + " of " + rateBytesPerSec + " bytes/s";
  }

  private static String name(Map<String, LiveNode> nodes, String uuid) {
    LiveNode node = nodes.get(uuid);
    return node == null ? uuid : node.ipAddress() + ":" + node.transferPort();
  }
}
