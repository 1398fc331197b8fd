/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.scale;

import java.util.Map;

/** Recovery that schedules blocks at a fixed rate, on threads of its own. One thread starts and stops it. */
interface Pace {
  void start() throws Exception;

  /** Blocks that have their replica. */
  long received();

  /** The thread whose holds of the namesystem lock are measured. */
  Thread lockHolder();

  void stop() throws Exception;

  /** What else is to be told of it after its end, by name, as in JSON. */
  default Map<String, Object> results() {
    return Map.of();
  }
}
