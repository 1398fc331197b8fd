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
 * What it takes to replace a lost replica or internal block. Immutable.
 *
 * @param bytes of the replica or internal block
 * @param width how many sources must send as many bytes each; 1 for a replica
 * @param sources the DataNodes that may send
 * @param targets the DataNodes that may receive, which then receive from all sources
 */
record NeededTransfer(long bytes, int width, List<Integer> sources, List<Integer> targets) {
}
