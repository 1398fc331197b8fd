/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.conf;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.util.Collections;
import java.util.Properties;
import java.util.TreeSet;

/**
 * The version of Dayu, from a file that is in both jars. Both jars may be on one class path only if they have the same
 * version, since they share classes. No state.
 */
public final class DayuVersion {
  private static final String RESOURCE = "dayu-version.properties";

  private DayuVersion() {
  }

  /**
   * The version on the classpath.
   *
   * @throws IllegalStateException if jars of different versions are on it
   */
  public static String only() {
    TreeSet<String> versions = new TreeSet<>();
    try {
      for (URL file : Collections.list(DayuVersion.class.getClassLoader().getResources(RESOURCE))) {
        Properties properties = new Properties();
        try (InputStream in = file.openStream()) {
          properties.load(in);
        }
        versions.add(properties.getProperty("version"));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    if (versions.size() != 1) {
      throw new IllegalStateException("jars of different versions of Dayu are on the classpath: " + versions
          + "; keep those of one version");
    }
    return versions.first();
  }
}
