/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import java.io.IOException;

/**
 * How what a transfer writes of its replica gets from the operating system's page cache to the disk, and leaves the
 * cache. Owned by the thread that writes the replica.
 */
interface WriteCache {
  /**
   * To be called after each write.
   *
   * @param writtenBytes how much of the replica has been written by now
   * @throws IOException if the disk has lost some of it
   */
  void written(long writtenBytes) throws IOException;

  /** For how long the thread has waited until other transfers had used the disk, in all. */
  long waitedNs();

  /** Nothing more will be written. */
  void end();
}
