/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.exchange;

import java.util.Locale;

/** Whether a DataNode marks recovery's traffic as lower effort for the network. */
public enum Marking {
  /** It is not to, or its agent does not say. */
  NOT_WANTED,
  MARKS,
  /** It is to, and lacks what it takes to mark all of it. */
  CANNOT_MARK,
  /** It goes unmarked for a while, since the network starves what is marked. */
  STARVED;

  /** As in JSON; empty if it is not to. */
  public String word() {
    return this == NOT_WANTED ? "" : name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
