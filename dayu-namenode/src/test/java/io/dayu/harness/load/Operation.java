/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness.load;

import java.util.List;

/** What a client is to do, and when. Immutable. */
sealed interface Operation {
  /** The planned moment, counted from the load's beginning. */
  long atNs();

  /**
   * A positional read of one piece of a file.
   *
   * @param node the DataNode that is the file's home, from which it is read as long as it has it
   * @param file which of the files that have this home
   * @param piece which piece of the file, each as long as one read
   */
  record Read(long atNs, int node, int file, int piece) implements Operation {
  }

  /**
   * A new file.
   *
   * @param number counts the writes, from 0
   * @param nodes where the replicas shall be, in no order that matters
   */
  record Write(long atNs, int number, List<Integer> nodes) implements Operation {
    public Write {
      nodes = List.copyOf(nodes);
    }
  }
}
