/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.metrics;

import org.apache.hadoop.metrics2.MetricsSource;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.Closeable;

/**
 * A source that is registered with the daemon's metrics system until it is closed. Failures of metrics are logged and
 * harm nothing else. Thread-safe, as the metrics system is.
 */
public final class MetricsPublication implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(MetricsPublication.class);

  private final String name;

  private MetricsPublication(String name) {
    this.name = name;
  }

  /**
   * Publishes a source.
   *
   * @param name the name in JMX
   */
  public static MetricsPublication of(String name, String description, MetricsSource source) {
    try {
      DefaultMetricsSystem.instance().register(name, description, source);
    } catch (RuntimeException e) {
      LOG.warn("Dayu's metrics are not published", e);
    }
    return new MetricsPublication(name);
  }

  @Override
  public void close() {
    try {
      DefaultMetricsSystem.instance().unregisterSource(name);
    } catch (RuntimeException e) {
      LOG.warn("Dayu could not unregister its metrics", e);
    }
  }
}
