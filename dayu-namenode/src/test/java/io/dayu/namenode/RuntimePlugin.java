/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode;

import org.apache.hadoop.util.ServicePlugin;

/** The NameNode's plugin with a runtime that a test has made. Thread-safe. */
abstract class RuntimePlugin implements ServicePlugin {
  private final NameNodeRuntime runtime;

  RuntimePlugin(NameNodeRuntime runtime) {
    this.runtime = runtime;
  }

  @Override
  public void start(Object service) {
    runtime.start(service);
  }

  @Override
  public void stop() {
    runtime.stop();
  }

  @Override
  public void close() {
    stop();
  }
}
