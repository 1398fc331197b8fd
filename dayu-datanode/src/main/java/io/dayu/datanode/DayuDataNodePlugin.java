/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode;

import org.apache.hadoop.util.ServicePlugin;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The class that {@code dfs.datanode.plugins} names. It checks the Java version and starts {@code DataNodeRuntime}, or
 * declines with one line; the DataNode runs on in any case. It is compiled to Java 8 bytecode and links to no other
 * class of ours, since a DataNode on an old Java must be able to load it. Called by the DataNode's main and shutdown
 * threads only.
 */
public final class DayuDataNodePlugin implements ServicePlugin {
  private static final Logger LOG = LoggerFactory.getLogger(DayuDataNodePlugin.class);
  private static final int MIN_JAVA = 17;
  private static final String RUNTIME = "io.dayu.datanode.DataNodeRuntime";

  private ServicePlugin runtime;

  @Override
  public void start(Object service) {
    try {
      String java = System.getProperty("java.specification.version");
      if (feature(java) < MIN_JAVA) {
        LOG.warn("Dayu is NOT active on this DataNode: it needs Java {} or later, this is Java {}. "
            + "HDFS runs without it.", MIN_JAVA, java);
        return;
      }
      ServicePlugin loaded = (ServicePlugin) Class.forName(RUNTIME, true, DayuDataNodePlugin.class.getClassLoader())
          .getDeclaredConstructor().newInstance();
      runtime = loaded;
      loaded.start(service);
    } catch (IllegalStateException declined) {
      LOG.warn("Dayu is NOT active on this DataNode: {}. HDFS runs without it.", declined.getMessage());
    } catch (Throwable t) {
      LOG.warn("Dayu is NOT active on this DataNode: it could not start. HDFS runs without it.", t);
    }
  }

  @Override
  public void stop() {
    try {
      if (runtime != null) {
        runtime.stop();
        runtime = null;
      }
    } catch (Throwable t) {
      LOG.warn("Dayu did not stop cleanly", t);
    }
  }

  @Override
  public void close() {
    stop();
  }

  /** Java's feature number: 8 for "1.8", 17 for "17". */
  private static int feature(String specificationVersion) {
    String[] parts = specificationVersion.split("\\.");
    return Integer.parseInt(parts[0].equals("1") && parts.length > 1 ? parts[1] : parts[0]);
  }
}
