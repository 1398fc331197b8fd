/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.admin;

import com.fasterxml.jackson.databind.JsonNode;
import io.dayu.conf.BadSettingException;
import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Brings the settings of a NameNode that starts in step with those of its peers: it has forgotten what an admin changed
 * by {@code -set}. Of each setting the latest change on any NameNode applies, unless this NameNode's own file has the
 * setting. A WARN says in which of the settings that can be changed live a peer still differs. Thread-safe.
 */
public record PeerSettingsSync(Settings settings) {
  private static final Logger LOG = LoggerFactory.getLogger(PeerSettingsSync.class);

  /** The last change of a setting on a peer. */
  private record Change(String peer, JsonNode setting) {
    /** A peer of an older version does not say when: its change counts as older than all others. */
    long changedMs() {
      return setting.path("changedMs").asLong(setting.path("changedLive").asBoolean() ? 1 : 0);
    }
  }

  /**
   * Takes over the changes of all peers that have answered.
   *
   * @param statuses answers to {@code -status} by the name of the peer
   */
  void answered(Map<String, JsonNode> statuses) {
    for (Setting setting : Setting.values()) {
      Change latest = latestChange(setting, statuses);
      // An admin may change it here meanwhile.
      synchronized (settings) {
        if (setting.live() && latest != null && latest.changedMs() > settings.changedMs(setting)
            && !settings.inFile(setting)) {
          takeOver(setting, latest);
        }
      }
    }
    statuses.forEach((peer, status) -> differences(status, settings).forEach(difference -> LOG.warn(
        "Dayu: NameNode {} has another value of a setting: {}; set it again by hdfs dayu -set, or write it into "
            + "hdfs-site.xml of all NameNodes",
        peer, difference)));
  }

  private static Change latestChange(Setting setting, Map<String, JsonNode> statuses) {
    Change latest = null;
    for (Map.Entry<String, JsonNode> status : statuses.entrySet()) {
      for (JsonNode one : status.getValue().path("settings")) {
        // A profile or a deadline may hide what an admin has changed there.
        Change change = new Change(status.getKey(), one.path("set").isObject() ? one.path("set") : one);
        if (one.path("key").asText().equals(setting.key())
            && (latest == null || change.changedMs() > latest.changedMs())) {
          latest = change;
        }
      }
    }
    return latest;
  }

  private void takeOver(Setting setting, Change change) {
    String origin = change.setting().path("origin").asText();
    boolean set = change.setting().path("changedLive").asBoolean();
    if (!set && !settings.changed(setting)) {
      return;
    }
    try {
      // The peer may have taken it over itself.
      String there = "peer " + change.peer();
      String before = set
          ? settings.change(setting, change.setting().path("value").asText(),
              there + ": " + origin.replaceFirst("^peer \\S+: ", ""), change.changedMs())
          : settings.reset(setting, "set back as on " + there, change.changedMs());
      LOG.info("RECONFIGURE* {} changed from {} to {} by peer {} ({})", setting.key(), before,
          settings.setText(setting), change.peer(), origin);
    } catch (BadSettingException e) {
      LOG.debug("Dayu: a value of peer {} is not valid here", change.peer(), e);
    }
  }

  /**
   * The differences, for people.
   *
   * @param status the peer's; it lists the settings that are not at their defaults
   */
  static List<String> differences(JsonNode status, Settings settings) {
    List<String> differences = new ArrayList<>();
    if (!status.has("settings")) {
      return differences;
    }
    for (Setting setting : Setting.values()) {
      String value = setting.defaultText();
      String origin = "default";
      for (JsonNode one : status.path("settings")) {
        if (one.path("key").asText().equals(setting.key())) {
          value = one.path("value").asText();
          origin = one.path("origin").asText();
        }
      }
      // A default may follow from another setting, and a profile or a deadline decides others: those are compared.
      boolean derived = settings.isDefault(setting) && (origin.equals("default") || origin.startsWith("default, "));
      boolean imposed = settings.isImposed(setting) || origin.startsWith("profile ") || origin.startsWith("deadline ");
      if (setting.live() && !derived && !imposed && !settings.hasValue(setting, value)) {
        differences.add(setting.key() + " = " + value + " (" + origin + ") there, " + settings.text(setting) + " ("
            + settings.origin(setting) + ") here");
      }
    }
    return differences;
  }
}
