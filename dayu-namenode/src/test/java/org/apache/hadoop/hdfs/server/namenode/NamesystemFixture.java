/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.hdfs.server.namenode;

import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.fs.permission.PermissionStatus;
import org.apache.hadoop.hdfs.protocol.BlockType;
import org.apache.hadoop.hdfs.server.blockmanagement.BlockInfo;

import java.lang.reflect.Field;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;

/** What benchmarks change in a namesystem from the inside. No state. */
public final class NamesystemFixture {
  private static final PermissionStatus OWNER = new PermissionStatus("bench", "bench", FsPermission.getFileDefault());

  private NamesystemFixture() {
  }

  /**
   * Has the namesystem use other locks; nobody may hold the present ones.
   *
   * @return the lock of the blocks; it is the only one, unless Hadoop 3.5 is set up with separate locks
   */
  public static <L extends ReentrantReadWriteLock> L useLocks(FSNamesystem namesystem, Supplier<L> locks)
      throws ReflectiveOperationException {
    L ofBlocks = locks.get();
    Object present = fieldOf(namesystem, "fsLock");
    if (present.getClass().getSimpleName().equals("FineGrainedFSNamesystemLock")) {
      useLock(fieldOf(present, "fsLock"), locks.get());
      useLock(fieldOf(present, "bmLock"), ofBlocks);
    } else {
      namesystem.setFsLockForTests(ofBlocks);
    }
    return ofBlocks;
  }

  private static void useLock(Object ofHadoop, ReentrantReadWriteLock lock) throws ReflectiveOperationException {
    ofHadoop.getClass().getMethod("setLockForTests", ReentrantReadWriteLock.class).invoke(ofHadoop, lock);
  }

  private static Object fieldOf(Object object, String name) throws ReflectiveOperationException {
    Field field = object.getClass().getDeclaredField(name);
    field.setAccessible(true);
    return field.get(object);
  }

  /**
   * A file of one block, which block management finds by its id, without a client, an edit log or a directory entry.
   * Needs the namesystem lock.
   */
  public static INodeFile addFile(FSNamesystem namesystem, BlockInfo block, short replication) {
    FSDirectory directory = namesystem.getFSDirectory();
    INodeFile file = new INodeFile(directory.allocateNewInodeId(), new byte[] {'f'}, OWNER, 0, 0,
        new BlockInfo[] {block}, replication, block.getNumBytes());
    return add(directory, file);
  }

  /** The same of an erasure-coded file of one group. */
  public static INodeFile addStripedFile(FSNamesystem namesystem, BlockInfo group, byte policyId,
      byte storagePolicyId) {
    FSDirectory directory = namesystem.getFSDirectory();
    INodeFile file = new INodeFile(directory.allocateNewInodeId(), new byte[] {'g'}, OWNER, 0, 0,
        new BlockInfo[] {group}, null, policyId, Math.max(1, group.getNumBytes()), storagePolicyId, BlockType.STRIPED);
    return add(directory, file);
  }

  private static INodeFile add(FSDirectory directory, INodeFile file) {
    file.setParent(directory.getRoot());
    directory.addToInodeMap(file);
    return file;
  }
}
