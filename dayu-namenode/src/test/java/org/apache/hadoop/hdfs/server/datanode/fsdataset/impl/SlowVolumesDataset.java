/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.hdfs.server.datanode.fsdataset.impl;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNode;
import org.apache.hadoop.hdfs.server.datanode.DataStorage;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsDatasetSpi;
import org.apache.hadoop.hdfs.util.DataTransferThrottler;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Stock HDFS's dataset, on volumes that each read no faster than {@link #READ_KEY} says, all readers together. As
 * thread-safe as the class above.
 *
 * <p>In this package since {@link FsDatasetImpl} is visible nowhere else; overrides a method of {@code FsDatasetSpi}
 * only.
 */
public final class SlowVolumesDataset extends FsDatasetImpl {
  /** In bytes a second. */
  public static final String READ_KEY = "test.volume.read.bandwidthPerSec";
  private static final long PERIOD_MS = 50;

  private final long bytesPerSec;
  private final Map<String, DataTransferThrottler> volumes = new ConcurrentHashMap<>();

  SlowVolumesDataset(DataNode datanode, DataStorage storage, Configuration conf) throws IOException {
    super(datanode, storage, conf);
    this.bytesPerSec = conf.getLong(READ_KEY, Long.MAX_VALUE);
  }

  /** What {@code dfs.datanode.fsdataset.factory} names. Stateless. */
  public static final class Factory extends FsDatasetSpi.Factory<FsDatasetImpl> {
    @Override
    public FsDatasetImpl newInstance(DataNode datanode, DataStorage storage, Configuration conf) throws IOException {
      return new SlowVolumesDataset(datanode, storage, conf);
    }
  }

  @Override
  public InputStream getBlockInputStream(ExtendedBlock block, long offset) throws IOException {
    DataTransferThrottler volume = volumes.computeIfAbsent(getVolume(block).getStorageID(),
        id -> new DataTransferThrottler(PERIOD_MS, bytesPerSec));
    // No file stream, so that the DataNode reads it instead of handing the file to the socket.
    return new FilterInputStream(super.getBlockInputStream(block, offset)) {
      @Override
      public int read(byte[] bytes, int from, int length) throws IOException {
        int read = super.read(bytes, from, length);
        volume.throttle(read);
        return read;
      }
    };
  }
}
