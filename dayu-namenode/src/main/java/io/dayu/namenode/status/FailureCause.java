/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.status;

/** Why a transfer has made no replica. */
public enum FailureCause {
  /** The source refused, broke off or stalled. */
  SOURCE,
  /** The source's bytes do not match their checksums. */
  CORRUPTION,
  /** The target could not write. */
  TARGET,
  /** The target has to delete another internal block of the group first. */
  DELETION,
  /** The target's agent was restarted, is silent, or gave up. */
  AGENT,
  /** The target has it, as its agent says, but the block map does not. */
  BLOCK_MAP
}
