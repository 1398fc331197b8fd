/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.admin;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.dayu.conf.Setting;
import io.dayu.conf.Settings;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The settings of this NameNode as JSON. Stateless. */
final class SettingsView {
  private SettingsView() {
  }

  /**
   * The settings that differ from their defaults or were changed live, and where they come from. Settings that only
   * DataNodes read are left out, since this NameNode's file need not be theirs. Where a profile or a deadline hides
   * what an admin has changed, {@code set} has that, for NameNodes that start.
   */
  static List<ChangedSetting> changed(Settings settings) {
    List<ChangedSetting> changed = new ArrayList<>();
    for (Setting setting : Setting.values()) {
      if (setting.daemon() != Setting.Daemon.DATANODE && !settings.origin(setting).equals("default")) {
        boolean live = settings.changed(setting);
        long atMs = settings.changedMs(setting);
        boolean hidden = settings.isImposed(setting) && atMs != 0;
        changed.add(new ChangedSetting(setting.key(),
            new SettingValue(settings.text(setting), settings.origin(setting), !hidden && live, hidden ? 0 : atMs),
            hidden ? new SettingValue(settings.setText(setting), settings.setOrigin(setting), live, atMs) : null));
      }
    }
    return changed;
  }

  /** A setting as JSON; {@code set} is left out where nothing hides what was set. */
  record ChangedSetting(String key, @JsonUnwrapped SettingValue now,
      @JsonInclude(JsonInclude.Include.NON_NULL) SettingValue set) {
  }

  /** The value of a setting and where it comes from, as JSON. */
  record SettingValue(String value, String origin, boolean changedLive, long changedMs) {
  }

  /** Every setting that NameNodes read, in their order. */
  static List<Map<String, Object>> all(Settings settings) {
    List<Map<String, Object>> all = new ArrayList<>();
    for (Setting setting : Setting.values()) {
      if (setting.daemon() == Setting.Daemon.DATANODE) {
        continue;
      }
      Map<String, Object> view = new LinkedHashMap<>();
      view.put("key", setting.key());
      view.put("value", settings.text(setting));
      view.put("default", setting.defaultText());
      view.put("origin", settings.origin(setting));
      view.put("live", setting.live());
      view.put("expert", setting.audience() == Setting.Audience.EXPERT);
      view.put("description", setting.description());
      all.add(view);
    }
    return all;
  }
}
