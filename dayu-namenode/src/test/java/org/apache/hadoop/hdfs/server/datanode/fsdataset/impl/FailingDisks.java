/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.hdfs.server.datanode.fsdataset.impl;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataStorage;
import org.apache.hadoop.hdfs.server.datanode.FileIoProvider;
import org.apache.hadoop.hdfs.server.datanode.ReplicaHandler;
import org.apache.hadoop.hdfs.server.datanode.ReplicaInPipeline;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeSpi;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.ReplicaOutputStreams;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Stock HDFS's dataset on disks that hang or limp, once a test says so: a thread that waits for such a disk heeds no
 * interrupt. As thread-safe as the class above.
 *
 * <p>In this package since {@link FsDatasetImpl} is visible nowhere else; overrides methods of {@code FsDatasetSpi}
 * only.
 */
public final class FailingDisks extends FsDatasetImpl {
  private static final Object CHANGE = new Object();
  private static final long LOOK_AGAIN_MS = 1_000;
  private static final Set<String> HANGING = new HashSet<>();
  private static final Map<String, Integer> LIMPING = new HashMap<>();
  private static final Map<String, Integer> WRITES_LIMPING = new HashMap<>();

  private final DataNode datanode;
  private final FileIoProvider fileIo;

  FailingDisks(DataNode datanode, DataStorage storage, Configuration conf) throws IOException {
    super(datanode, storage, conf);
    this.datanode = datanode;
    this.fileIo = datanode.getFileIoProvider();
  }

  /** What {@code dfs.datanode.fsdataset.factory} names. Stateless. */
  public static final class Factory extends FsDatasetSpi.Factory<FsDatasetImpl> {
    @Override
    public FsDatasetImpl newInstance(DataNode datanode, DataStorage storage, Configuration conf) throws IOException {
      return new FailingDisks(datanode, storage, conf);
    }
  }

  /** From now on nothing is written into temporary replicas on the DataNode with this UUID. */
  public static void hang(String uuid) {
    synchronized (CHANGE) {
      HANGING.add(uuid);
    }
  }

  /** From now on each reader of a block on the DataNode with this UUID is limited to this rate. */
  public static void limp(String uuid, int bytesPerSec) {
    synchronized (CHANGE) {
      LIMPING.put(uuid, bytesPerSec);
    }
  }

  /** From now on each write into a temporary replica on the DataNode with this UUID takes as long as at this rate. */
  public static void limpWrites(String uuid, int bytesPerSec) {
    synchronized (CHANGE) {
      WRITES_LIMPING.put(uuid, bytesPerSec);
    }
  }

  /** All disks are well again, and who waits for one goes on. */
  public static void heal() {
    synchronized (CHANGE) {
      HANGING.clear();
      LIMPING.clear();
      WRITES_LIMPING.clear();
      CHANGE.notifyAll();
    }
  }

  @Override
  public ReplicaHandler createTemporary(StorageType type, String storageId, ExtendedBlock block, boolean isTransfer)
      throws IOException {
    ReplicaHandler handler = super.createTemporary(type, storageId, block, isTransfer);
    ReplicaInPipeline replica = handler.getReplica();
    ReplicaInPipeline mayHang = (ReplicaInPipeline) Proxy.newProxyInstance(ReplicaInPipeline.class.getClassLoader(),
        new Class<?>[] {ReplicaInPipeline.class}, (proxy, method, arguments) -> {
          try {
            Object result = method.invoke(replica, arguments);
            return result instanceof ReplicaOutputStreams files
                ? new HangingStreams(files, replica.getReplicaInfo().getVolume())
                : result;
          } catch (InvocationTargetException e) {
            throw e.getCause();
          }
        });
    return new ReplicaHandler(mayHang, null) {
      @Override
      public void close() throws IOException {
        handler.close();
      }
    };
  }

  /** The files of a replica that is being received. */
  private final class HangingStreams extends ReplicaOutputStreams {
    private HangingStreams(ReplicaOutputStreams files, FsVolumeSpi volume) {
      super(files.getDataOut(), files.getChecksumOut(), files.getChecksum(), volume, fileIo);
    }

    @Override
    public void writeDataToDisk(byte[] buffer, int offset, int length) throws IOException {
      awaitWrite(datanode.getDatanodeUuid());
      await(WRITES_LIMPING, datanode.getDatanodeUuid(), length);
      super.writeDataToDisk(buffer, offset, length);
    }
  }

  @Override
  public InputStream getBlockInputStream(ExtendedBlock block, long offset) throws IOException {
    // No file stream, so that the DataNode reads it instead of handing the file to the socket.
    return new FilterInputStream(super.getBlockInputStream(block, offset)) {
      @Override
      public int read(byte[] bytes, int from, int length) throws IOException {
        int read = super.read(bytes, from, length);
        await(LIMPING, datanode.getDatanodeUuid(), read);
        return read;
      }
    };
  }

  private static void awaitWrite(String uuid) {
    boolean interrupted = false;
    synchronized (CHANGE) {
      while (HANGING.contains(uuid)) {
        interrupted |= awaitChange(LOOK_AGAIN_MS);
      }
    }
    restore(interrupted);
  }

  private static void await(Map<String, Integer> limping, String uuid, int bytes) {
    long beganNs = System.nanoTime();
    boolean interrupted = false;
    synchronized (CHANGE) {
      long leftMs = 1;
      while (limping.containsKey(uuid) && leftMs > 0) {
        leftMs = 1_000L * bytes / limping.get(uuid) - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beganNs);
        interrupted |= leftMs > 0 && awaitChange(leftMs);
      }
    }
    restore(interrupted);
  }

  /** Called in a loop. Returns whether the thread was interrupted. */
  private static boolean awaitChange(long limitMs) {
    try {
      TimeUnit.MILLISECONDS.timedWait(CHANGE, limitMs);
      return false;
    } catch (InterruptedException e) {
      return true;
    }
  }

  private static void restore(boolean interrupted) {
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
