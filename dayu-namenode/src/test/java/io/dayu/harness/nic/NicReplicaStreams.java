/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness.nic;

import org.apache.hadoop.hdfs.server.datanode.FileIoProvider;
import org.apache.hadoop.hdfs.server.datanode.PipelineAccess;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.FsVolumeSpi;
import org.apache.hadoop.hdfs.server.datanode.fsdataset.ReplicaOutputStreams;

import java.io.IOException;

/**
 * The files of a replica that is being received, filled as fast as the NIC lets its data in and, in a pipeline, on to
 * the next node. Used by one thread at a time.
 */
public final class NicReplicaStreams extends ReplicaOutputStreams {
  private final Flow flow;

  public NicReplicaStreams(ReplicaOutputStreams files, FsVolumeSpi volume, FileIoProvider fileIo, Flow flow) {
    super(files.getDataOut(), files.getChecksumOut(), files.getChecksum(), volume, fileIo);
    this.flow = flow;
  }

  @Override
  public void writeDataToDisk(byte[] buffer, int offset, int length) throws IOException {
    flow.pass(length, PipelineAccess.mirrorsOnThisThread());
    super.writeDataToDisk(buffer, offset, length);
  }

  /** Comes before a replica is finalized and its last packet acknowledged. */
  @Override
  public void closeDataStream() throws IOException {
    flow.drain();
    super.closeDataStream();
  }
}
