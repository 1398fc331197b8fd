/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.hdfs.server.datanode.fsdataset.impl;

import io.dayu.harness.nic.EmulatedNic;
import io.dayu.harness.nic.NicBlockStream;
import io.dayu.harness.nic.NicReplicaStreams;
import io.dayu.harness.nic.Readers;
import io.dayu.harness.nic.Traffic;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataStorage;
import org.apache.hadoop.hdfs.server.datanode.FileIoProvider;
import org.apache.hadoop.hdfs.server.datanode.ReplicaHandler;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInPipeline;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.ReplicaOutputStreams;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Optional;

/**
 * Stock HDFS's dataset with an emulated NIC between it and the network: what is read for another node or a client, and
 * what is written, is charged to the NIC. Writes into a temporary replica are recovery, all others foreground. As
 * thread-safe as the class above.
 *
 * <p>In this package since {@link FsDatasetImpl} is visible nowhere else; overrides {@code FsDatasetSpi}'s methods
 * only.
 */
final class NicDataset extends FsDatasetImpl {
  private final EmulatedNic nic;
  private final FileIoProvider fileIo;

  NicDataset(DataNode datanode, DataStorage storage, Configuration conf, EmulatedNic nic) throws IOException {
    super(datanode, storage, conf);
    this.nic = nic;
    this.fileIo = datanode.getFileIoProvider();
  }

  @Override
  public InputStream getBlockInputStream(ExtendedBlock block, long offset) throws IOException {
    InputStream file = super.getBlockInputStream(block, offset);
    Optional<Traffic> traffic = Readers.trafficOfThisThread();
    return traffic.isEmpty() ? file
        : new NicBlockStream(file, nic.sending(traffic.get()), block.getNumBytes() - offset);
  }

  @Override
  public ReplicaHandler createTemporary(StorageType type, String storageId, ExtendedBlock block, boolean isTransfer)
      throws IOException {
    return received(super.createTemporary(type, storageId, block, isTransfer), Traffic.RECOVERY);
  }

  /** The method of five parameters ends here too. */
  @Override
  public ReplicaHandler createRbw(StorageType type, String storageId, ExtendedBlock block, boolean allowLazyPersist,
      long newStamp) throws IOException {
    return received(super.createRbw(type, storageId, block, allowLazyPersist, newStamp), Traffic.FOREGROUND);
  }

  @Override
  public ReplicaHandler recoverRbw(ExtendedBlock block, long newStamp, long minBytes, long maxBytes)
      throws IOException {
    return received(super.recoverRbw(block, newStamp, minBytes, maxBytes), Traffic.FOREGROUND);
  }

  @Override
  public ReplicaHandler append(ExtendedBlock block, long newStamp, long expectedBytes) throws IOException {
    return received(super.append(block, newStamp, expectedBytes), Traffic.FOREGROUND);
  }

  @Override
  public ReplicaHandler recoverAppend(ExtendedBlock block, long newStamp, long expectedBytes) throws IOException {
    return received(super.recoverAppend(block, newStamp, expectedBytes), Traffic.FOREGROUND);
  }

  /** The same replica, with other streams. The holder of the handler closes both. */
  private ReplicaHandler received(ReplicaHandler handler, Traffic traffic) {
    ReplicaInPipeline replica = handler.getReplica();
    ReplicaInPipeline charged = (ReplicaInPipeline) Proxy.newProxyInstance(ReplicaInPipeline.class.getClassLoader(),
        new Class<?>[] {ReplicaInPipeline.class}, (proxy, method, arguments) -> {
          try {
            Object result = method.invoke(replica, arguments);
            return result instanceof ReplicaOutputStreams files
                ? new NicReplicaStreams(files, replica.getReplicaInfo().getVolume(), fileIo, nic.receiving(traffic))
                : result;
          } catch (InvocationTargetException e) {
            throw e.getCause();
          }
        });
    return new ReplicaHandler(charged, null) {
      @Override
      public void close() throws IOException {
        handler.close();
      }
    };
  }
}
