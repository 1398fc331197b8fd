/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode;

import org.apache.hadoop.util.ServicePlugin;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;

/**
 * The class that {@code dfs.namenode.plugins} names. It is compiled for Java 8 and uses nothing newer, so that a
 * NameNode on an older Java can load it and log in one line that Dayu needs Java 17. All else is in
 * {@code NameNodeRuntime}. Used by one thread, the NameNode's.
 */
public class DayuNameNodePlugin implements ServicePlugin {
  private static final Logger LOG = LoggerFactory.getLogger(DayuNameNodePlugin.class);
  private static final String RUNTIME = "io.dayu.namenode.NameNodeRuntime";

  private ServicePlugin runtime;

  @Override
  public void start(Object service) {
    try {
      runtime = Class.forName(RUNTIME, true, getClass().getClassLoader()).asSubclass(ServicePlugin.class)
          .getDeclaredConstructor().newInstance();
      runtime.start(service);
    } catch (UnsupportedClassVersionError e) {
      LOG.error("Dayu is NOT active, stock HDFS re-replicates: it needs Java 17 or later, this is Java {}",
          System.getProperty("java.version"));
    } catch (Throwable t) {
      LOG.error("Dayu is NOT active, stock HDFS re-replicates: it could not start", t);
    }
  }

  @Override
  public void stop() {
    if (runtime != null) {
      runtime.stop();
    }
  }

  @Override
  public void close() throws IOException {
    stop();
  }
}
