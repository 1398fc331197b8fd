/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import io.dayu.datanode.transfer.PullCluster.Placed;
import io.dayu.protocol.DayuProtos.FinishedTransferProto;
import io.dayu.protocol.DayuProtos.GrantProto;
import io.dayu.protocol.DayuProtos.RunningTransferProto;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataNodeAccess;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import static io.dayu.datanode.transfer.PullCluster.grant;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Transfers between real DataNodes, driven by hand-made grants. A rate of 64 KB/s keeps one under way for as long as a
 * test needs. Each subclass has a cluster of its own.
 */
@TestInstance(Lifecycle.PER_CLASS)
abstract class TransferFixture {
  static final long SEED = 20261121;
  static final long SLOW = 64 * 1024;
  static final long FAST = 1L << 30;
  static final int LARGE = 6 << 20;
  static final Duration SOON = Duration.ofSeconds(60);
  /** A transfer that a cancel does not reach ends by a timeout; the shortest one, of connecting, is 10 s. */
  static final Duration CANCEL_LIMIT = Duration.ofSeconds(8);

  static PullCluster hdfs;
  final List<TransferService> services = new CopyOnWriteArrayList<>();

  /** What the daemons have besides the settings of {@link PullCluster}. */
  Configuration configuration() {
    return new Configuration();
  }

  @BeforeAll
  void startCluster() throws IOException {
    System.out.println("seed " + SEED);
    hdfs = new PullCluster(configuration(), SEED);
  }

  @AfterAll
  void stopCluster() {
    if (hdfs != null) {
      hdfs.close();
      hdfs = null;
    }
  }

  @AfterEach
  void stopServices() throws Exception {
    services.forEach(TransferService::close);
    services.clear();
    ResourceLeaks.assertNone(hdfs.cluster.getDataNodes());
  }

  TransferService service(DataNode node) throws ReflectiveOperationException {
    return service(node, 16);
  }

  TransferService service(DataNode node, int maxTransfers) throws ReflectiveOperationException {
    TransferService service =
        new TransferService(new DataNodeAccess(node), () -> maxTransfers, PullCluster.shaper(), VolumeShapers.none(),
            PullCluster.REBUILD_BYTES, () -> {}).start();
    services.add(service);
    return service;
  }

  static void apply(TransferService service, GrantProto... grants) {
    service.granted().apply(hdfs.cluster.getNamesystem().getBlockPoolId(), List.of(grants), System.nanoTime());
  }

  static TransferRegistry.Status status(TransferService service) {
    return service.granted().status(hdfs.cluster.getNamesystem().getBlockPoolId());
  }

  static FinishedTransferProto end(TransferService service, GrantProto grant) throws Exception {
    Poll.until("attempt " + grant.getAttempt() + " has ended", SOON,
        () -> status(service).finished().stream().anyMatch(end -> end.getAttempt() == grant.getAttempt()),
        () -> status(service));
    return status(service).finished().stream().filter(end -> end.getAttempt() == grant.getAttempt()).findFirst()
        .orElseThrow();
  }

  static RunningTransferProto running(TransferService service) {
    assertEquals(1, status(service).running().size(), () -> "running: " + status(service));
    return status(service).running().get(0);
  }

  /** From the first holder of the file's block, as if its DataNode were at this port. */
  static GrantProto from(int port, Placed file) {
    GrantProto grant = grant(file.block(), file.first(), FAST);
    return grant.toBuilder().setSource(grant.getSource().toBuilder().setTransferPort(port)).build();
  }

  /** Starts a slow transfer and waits until it is under way. */
  static GrantProto begin(TransferService service, Placed file, DataNode source) throws Exception {
    GrantProto grant = grant(file.block(), source, SLOW);
    apply(service, grant);
    Poll.until("bytes have arrived", SOON, () -> running(service).getDoneBytes() > 0, () -> status(service));
    assertTrue(running(service).hasStorageId());
    return grant;
  }
}
