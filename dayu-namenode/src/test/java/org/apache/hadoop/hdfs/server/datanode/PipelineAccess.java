/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.hdfs.server.datanode;

import org.apache.hadoop.util.Daemon;

import java.io.DataOutputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Tells a DataNode's place in a write pipeline, which HDFS keeps in private fields. Stateless. The same in Hadoop 3.4
 * and 3.5.
 */
public final class PipelineAccess {
  private static final VarHandle RECEIVER;
  private static final VarHandle MIRROR;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      RECEIVER = MethodHandles.privateLookupIn(DataXceiver.class, lookup)
          .findVarHandle(DataXceiver.class, "blockReceiver", BlockReceiver.class);
      MIRROR = MethodHandles.privateLookupIn(BlockReceiver.class, lookup)
          .findVarHandle(BlockReceiver.class, "mirrorOut", DataOutputStream.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private PipelineAccess() {
  }

  /**
   * Whether the calling thread receives a block and passes it on to another DataNode. Both fields were set by this
   * thread itself.
   */
  public static boolean mirrorsOnThisThread() {
    if (Thread.currentThread() instanceof Daemon daemon && daemon.getRunnable() instanceof DataXceiver xceiver) {
      BlockReceiver receiver = (BlockReceiver) RECEIVER.get(xceiver);
      return receiver != null && (DataOutputStream) MIRROR.get(receiver) != null;
    }
    return false;
  }
}
