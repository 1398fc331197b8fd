/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness;

import org.apache.hadoop.util.VersionInfo;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Holds that the integration tests run on the Hadoop line that {@code -Dhadoop.version} asks for. */
class HadoopLineIT {
  @Test
  void hadoop_isOfTheVersionAskedFor() {
    assertEquals(System.getProperty("hadoop.version"), VersionInfo.getVersion());
  }
}
