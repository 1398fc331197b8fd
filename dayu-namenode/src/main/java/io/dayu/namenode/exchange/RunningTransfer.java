/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.exchange;

import io.dayu.blocks.BlockKey;

/**
 * A transfer that an agent is running, as it reports it.
 *
 * @param attempt the transfer's id
 * @param source where it reads now
 * @param storageType by name; another version of Dayu may have granted one that is not known here
 * @param doneBytes verified bytes, on disk
 * @param rateBytesPerSec what it was granted
 * @param achievedBytesPerSec how much it received over its last second or so
 * @param failedSource UUID of the source that has failed it; null if none has
 * @param failure why, in printable text
 */
public record RunningTransfer(long attempt, BlockKey block, long numBytes, SourceAddress source, String storageType,
    long doneBytes, long rateBytesPerSec, long achievedBytesPerSec, String failedSource, String failure) {
}
