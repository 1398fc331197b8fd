/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.hdfs.server.datanode;

import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.DatanodeInfo;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocolPB.DatanodeProtocolClientSideTranslatorPB;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.LengthInputStream;
import org.apache.hadoop.hdfs.server.datanode.metrics.DataNodeMetrics;
import org.apache.hadoop.hdfs.server.protocol.DatanodeRegistration;
import org.apache.hadoop.hdfs.util.DataTransferThrottler;
import org.apache.hadoop.metrics2.lib.MutableCounterLong;

import java.io.DataOutputStream;
import java.io.OutputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

import static java.lang.invoke.MethodType.methodType;

/** The list of Hadoop's members that {@link DataNodeAccess} touches and that Hadoop does not publish. No state. */
final class DataNodeInternals {
  private record Member(Class<?> owner, String name, MethodType type) {
    boolean isMissing() {
      try {
        MethodHandles.lookup().findVirtual(owner, name, type);
        return false;
      } catch (ReflectiveOperationException e) {
        return true;
      }
    }

    @Override
    public String toString() {
      return owner.getName() + "." + name + type.parameterList().stream().map(Class::getSimpleName)
          .collect(Collectors.joining(",", "(", ")"));
    }
  }

  private static final List<Member> MEMBERS = List.of(new Member(DataNode.class, "getAllBpOs", methodType(List.class)),
      new Member(DataNode.class, "getDNRegistrationForBP", methodType(DatanodeRegistration.class, String.class)),
      new Member(DataNode.class, "closeBlock",
          methodType(void.class, ExtendedBlock.class, String.class, String.class, boolean.class)),
      new Member(DataNode.class, "reportRemoteBadBlock",
          methodType(void.class, DatanodeInfo.class, ExtendedBlock.class)),
      new Member(DataNode.class, "transferBlock",
          methodType(void.class, ExtendedBlock.class, DatanodeInfo[].class, StorageType[].class, String[].class)),
      new Member(DataNode.class, "reportBadBlocks", methodType(void.class, ExtendedBlock.class)),
      new Member(DataNode.class, "newSocket", methodType(Socket.class)),
      new Member(DataNode.class, "getSaslClient",
          methodType(org.apache.hadoop.hdfs.protocol.datatransfer.sasl.SaslDataTransferClient.class)),
      new Member(DataNode.class, "getFSDataset", methodType(FsDatasetSpi.class)),
      new Member(BPOfferService.class, "getBlockPoolId", methodType(String.class, boolean.class)),
      new Member(BPOfferService.class, "getBPServiceActors", methodType(List.class)),
      new Member(BPOfferService.class, "getActiveNN", methodType(DatanodeProtocolClientSideTranslatorPB.class)),
      new Member(BPServiceActor.class, "getNNSocketAddress", methodType(InetSocketAddress.class)),
      new Member(BPServiceActor.class, "getNameNodeProxy", methodType(DatanodeProtocolClientSideTranslatorPB.class)),
      new Member(DataNode.class, "getXferServer", methodType(DataXceiverServer.class)),
      new Member(DataXceiverServer.class, "getReadThrottler", methodType(DataTransferThrottler.class)),
      new Member(DataXceiverServer.class, "setReadThrottler", methodType(void.class, DataTransferThrottler.class)),
      new Member(FsDatasetSpi.class, "getMetaDataInputStream",
          methodType(LengthInputStream.class, ExtendedBlock.class)),
      new Member(FsDatasetSpi.class, "isValidBlock", methodType(boolean.class, ExtendedBlock.class)),
      new Member(FsDatasetSpi.class, "createTemporary",
          methodType(ReplicaHandler.class, StorageType.class, String.class, ExtendedBlock.class, boolean.class)),
      new Member(FsDatasetSpi.class, "finalizeBlock", methodType(void.class, ExtendedBlock.class, boolean.class)),
      new Member(FsDatasetSpi.class, "unfinalizeBlock", methodType(void.class, ExtendedBlock.class)),
      new Member(BlockSender.class, "sendBlock",
          methodType(long.class, DataOutputStream.class, OutputStream.class, DataTransferThrottler.class)),
      new Member(ReplicaInPipeline.class, "releaseAllBytesReserved", methodType(void.class)));

  /** So spelt. */
  private static final String READ_THROTTLER = "ecReconstuctReadThrottler";
  private static final String WRITE_THROTTLER = "ecReconstuctWriteThrottler";

  private DataNodeInternals() {
  }

  /** Those of them that the Hadoop at hand does not have. */
  static List<String> missingMembers() {
    List<String> missing =
        new ArrayList<>(MEMBERS.stream().filter(Member::isMissing).map(Member::toString).toList());
    addIfMissing(missing, DataNodeMetrics.class, "bytesRead", () -> counter("bytesRead"));
    addIfMissing(missing, DataNodeMetrics.class, "bytesWritten", () -> counter("bytesWritten"));
    addIfMissing(missing, BlockSender.class, "BlockSender", () -> MethodHandles.lookup().findConstructor(
        BlockSender.class, methodType(void.class, ExtendedBlock.class, long.class, long.class, boolean.class,
            boolean.class, boolean.class, DataNode.class, String.class, CachingStrategy.class)));
    addIfMissing(missing, DataNode.class, READ_THROTTLER, DataNodeInternals::reconstructionReadThrottler);
    addIfMissing(missing, DataNode.class, WRITE_THROTTLER, DataNodeInternals::reconstructionWriteThrottler);
    return missing;
  }

  private interface Lookup {
    Object find() throws ReflectiveOperationException;
  }

  private static void addIfMissing(List<String> missing, Class<?> owner, String name, Lookup member) {
    try {
      member.find();
    } catch (ReflectiveOperationException e) {
      missing.add(owner.getName() + "." + name);
    }
  }

  /** The field that stock HDFS's reconstructions ask before they read in each round; it has a getter only. */
  static VarHandle reconstructionReadThrottler() throws ReflectiveOperationException {
    return throttler(READ_THROTTLER);
  }

  /** That which they ask before they write. */
  static VarHandle reconstructionWriteThrottler() throws ReflectiveOperationException {
    return throttler(WRITE_THROTTLER);
  }

  private static VarHandle throttler(String name) throws ReflectiveOperationException {
    return MethodHandles.privateLookupIn(DataNode.class, MethodHandles.lookup())
        .findVarHandle(DataNode.class, name, DataTransferThrottler.class);
  }

  /** A counter of {@link DataNodeMetrics}, whose fields are package-private and have no getters. */
  static VarHandle counter(String name) throws ReflectiveOperationException {
    return MethodHandles.privateLookupIn(DataNodeMetrics.class, MethodHandles.lookup())
        .findVarHandle(DataNodeMetrics.class, name, MutableCounterLong.class);
  }
}
