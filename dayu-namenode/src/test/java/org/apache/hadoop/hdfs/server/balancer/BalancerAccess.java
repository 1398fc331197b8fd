/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.hdfs.server.balancer;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.util.ToolRunner;

/** Runs Hadoop's Balancer as its command does, but in this JVM, whose command class is package-private. Stateless. */
public final class BalancerAccess {
  private BalancerAccess() {
  }

  /** Returns the exit code once it has ended. */
  public static int run(Configuration conf, String... arguments) throws Exception {
    return ToolRunner.run(conf, new Balancer.Cli(), arguments);
  }
}
