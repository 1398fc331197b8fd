/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode;

import com.fasterxml.jackson.databind.JsonNode;
import io.dayu.admin.AdminException;
import io.dayu.admin.Command;
import io.dayu.conf.BadSettingException;
import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.List;

/**
 * A peer that brings this NameNode's live settings in step with its own when it is asked for its status: a NameNode
 * forgets {@code -set} when it restarts. What was changed live there applies here as well, unless a file or an admin
 * has set it here. A WARN says in which of the settings that can be changed live the two still differ. Thread-safe.
 */
record PeerSettingsSync(PeerControlSync.Peer peer, Settings settings) implements PeerControlSync.Peer {
  private static final Logger LOG = LoggerFactory.getLogger(PeerSettingsSync.class);

  @Override
  public String name() {
    return peer.name();
  }

  @Override
  public JsonNode call(Command command, String argument) throws AdminException {
    JsonNode answer = peer.call(command, argument);
    if (command == Command.STATUS) {
      takeOver(answer);
      differences(answer, settings).forEach(difference -> LOG.warn(
          "Dayu: NameNode {} has another value of a setting: {}; set it again by hdfs dayu -set, or write it into "
              + "hdfs-site.xml of all NameNodes",
          name(), difference));
    }
    return answer;
  }

  private void takeOver(JsonNode status) {
    for (JsonNode one : status.path("settings")) {
      Setting setting = Setting.ofKey(one.path("key").asText());
      if (setting != null && setting.live() && one.path("changedLive").asBoolean()) {
        takeOver(setting, one.path("value").asText(), one.path("origin").asText());
      }
    }
  }

  private void takeOver(Setting setting, String value, String origin) {
    // Several peers are asked at once.
    synchronized (settings) {
      if (!settings.origin(setting).equals("default") || settings.hasValue(setting, value)) {
        return;
      }
      try {
        // The peer may have taken it over itself.
        String setThere = origin.replaceFirst("^peer \\S+: ", "");
        String before = settings.change(setting, value, "peer " + name() + ": " + setThere);
        LOG.info("RECONFIGURE* {} changed from {} to {} by peer {} ({})", setting.key(), before, value, name(), origin);
      } catch (BadSettingException e) {
        LOG.debug("Dayu: a value of peer {} is not valid here", name(), e);
      }
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
      if (setting.live() && !settings.hasValue(setting, value)) {
        differences.add(setting.key() + " = " + value + " (" + origin + ") there, " + settings.text(setting) + " ("
            + settings.origin(setting) + ") here");
      }
    }
    return differences;
  }
}
