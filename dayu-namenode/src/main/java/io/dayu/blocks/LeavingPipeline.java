/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.blocks;

import java.util.List;

/**
 * A file that is being written to DataNodes of which none stays in service. HDFS lets them go without the file's last
 * block, since it waits only for blocks that have been reported (HDFS-17658); then the writer fails. Immutable.
 *
 * @param file its path
 * @param nodes the DataNodes that have its last block, as HDFS's own commands name them
 */
public record LeavingPipeline(String file, List<String> nodes) {
  public LeavingPipeline {
    nodes = List.copyOf(nodes);
  }
}
