/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.exchange;

import io.dayu.blocks.LiveNode;

/** Where a DataNode serves replicas. */
public record SourceAddress(String uuid, String ipAddress, String hostName, int transferPort) {
  /** Where a live node does. */
  public static SourceAddress of(LiveNode node) {
    return new SourceAddress(node.uuid(), node.ipAddress(), node.hostName(), node.transferPort());
  }
}
