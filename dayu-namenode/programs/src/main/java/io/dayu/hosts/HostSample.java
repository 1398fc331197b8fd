/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import java.util.List;

/**
 * The counters of all links and processes at one moment. Immutable.
 *
 * @param atMs in milliseconds since 1970
 * @param receivedBytes by number of the DataNode, since its link was made; where the process is gone, as it was last
 *     read
 * @param sentBytes the same for what it sent
 * @param cpuTicks of the whole machine
 * @param idleTicks of these, idle
 * @param processTicks of the NameNodes together, the client and then each DataNode; with those of processes that are
 *     gone
 */
record HostSample(long atMs, List<Long> receivedBytes, List<Long> sentBytes, long cpuTicks, long idleTicks,
    List<Long> processTicks) {
}
