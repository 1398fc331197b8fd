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
 * A replica that an agent has read as a whole.
 *
 * @param good whether it has the length that was asked for, and matches its checksums
 */
public record VerifiedReplica(BlockKey block, boolean good) {
}
