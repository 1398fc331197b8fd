/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode;

import io.dayu.conf.BadSettingException;
import io.dayu.conf.Settings;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.util.VersionInfo;

import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * What {@code hdfs dayu -check} can find with the NameNode's jar only: one line for each fault. It is loaded by its
 * name. No state.
 */
public final class NameNodeCheck implements BiConsumer<Configuration, Consumer<String>> {
  /** @param faults hears of each fault at once: a later part may break on another Hadoop */
  @Override
  public void accept(Configuration conf, Consumer<String> faults) {
    algorithm(conf, faults);
    NameNodeRuntime.required().missing().forEach(member -> faults
        .accept("Hadoop " + VersionInfo.getVersion() + " has no " + member + ", which Dayu needs on a NameNode"));
  }

  private static void algorithm(Configuration conf, Consumer<String> faults) {
    Settings settings;
    try {
      settings = Settings.read(conf);
    } catch (BadSettingException e) {
      // That is reported with all other settings.
      return;
    }
    try {
      NameNodeRuntime.algorithm(settings);
    } catch (IllegalStateException e) {
      faults.accept(e.getMessage());
    }
  }
}
