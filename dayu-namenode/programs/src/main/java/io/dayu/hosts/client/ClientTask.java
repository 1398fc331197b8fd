/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts.client;

/**
 * What the client process is to do; handed over as JSON. Immutable.
 *
 * @param topology of the cluster
 * @param files of the data set that are replicated
 * @param groups its erasure-coded files
 * @param blockBytes length of a replicated file and of an internal block, and the block size of all that is written
 * @param seed decides placement, content and every operation
 * @param bandwidthBytesPerSec what a DataNode's link carries in each direction
 * @param utilization which fraction of that the foreground takes on average, in each direction
 * @param directory what the results are written to
 */
public record ClientTask(Topology topology, int files, DataGroups groups, long blockBytes, long seed,
    long bandwidthBytesPerSec, double utilization, String directory) {
  public static final String OPERATIONS_FILE = "operations.csv";
  /** In the file in place of a latency: still under way when the foreground ended. */
  public static final long UNFINISHED = -1;
  public static final long FAILED = -2;

  DataPlan dataPlan() {
    return new DataPlan(topology, files, groups, seed);
  }
}
