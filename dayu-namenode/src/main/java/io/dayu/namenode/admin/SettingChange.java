/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.admin;

import io.dayu.admin.AdminException;
import io.dayu.admin.AdminRequest;
import io.dayu.admin.ExitCode;
import io.dayu.conf.BadSettingException;
import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import io.dayu.namenode.loop.LoopRequests;
import io.dayu.namenode.loop.RecoveryController;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;

import static io.dayu.namenode.admin.AdminViews.ordered;

/** Changes settings for admins while this NameNode runs, {@code hdfs dayu -set}. Called by RPC handlers. */
final class SettingChange {
  private static final Logger LOG = LoggerFactory.getLogger(SettingChange.class);

  private final String namenodeId;
  private final RecoveryController controller;
  private final Settings settings;
  private final LoopRequests requests;

  SettingChange(String namenodeId, RecoveryController controller, Settings settings, LoopRequests requests) {
    this.namenodeId = namenodeId;
    this.controller = controller;
    this.settings = settings;
    this.requests = requests;
  }

  Map<String, Object> set(AdminRequest request) throws AdminException {
    String[] sides = request.argument().split("=", 2);
    if (sides.length != 2) {
      throw new AdminException(ExitCode.REFUSED, "'" + request.argument() + "' is not <key>=<value>");
    }
    String key = sides[0].trim();
    Setting setting = Setting.ofKey(key);
    if (setting == null) {
      throw new AdminException(ExitCode.REFUSED, "there is no setting " + key
          + Settings.suggestion(key).map(near -> "; the nearest is " + near.key()).orElse("")
          + ". What can be set live: "
          + live());
    }
    if (!setting.live()) {
      throw new AdminException(ExitCode.REFUSED, key + " is read when the daemon starts ("
          + (setting.daemon() == Setting.Daemon.BOTH ? "NameNode and DataNode" : setting.daemon())
          + "); change it in hdfs-site.xml there and restart. What can be set live: " + live());
    }
    return requests.call(false, () -> {
      try {
        long nowMs = System.currentTimeMillis();
        String by = "by " + request.user() + " at " + Instant.ofEpochMilli(nowMs).truncatedTo(ChronoUnit.SECONDS);
        boolean reset = sides[1].isBlank();
        String before = reset ? settings.reset(setting, "set back " + by, nowMs)
            : settings.change(setting, sides[1], "set " + by + ", not in hdfs-site.xml", nowMs);
        // What a profile or a deadline decides for now is not what the admin has set.
        String value = settings.setText(setting);
        LOG.info("RECONFIGURE* {} changed from {} to {} by {}", key, before, value, request.user());
        Map<String, Object> view = ordered("namenode", namenodeId, "key", key, "before", before, "value", value,
            "origin", settings.setOrigin(setting), "changedLive", !reset);
        followProfile();
        putWhatDecidesNow(setting, view);
        return view;
      } catch (BadSettingException e) {
        throw new AdminException(ExitCode.REFUSED, e.getMessage());
      }
    });
  }

  private void followProfile() {
    try {
      controller.followProfile(System.nanoTime());
    } catch (RuntimeException e) {
      LOG.warn("Dayu: the profile could not be followed at once; the recovery loop does so in its next tick", e);
    }
  }

  /** A deadline or a profile decides some settings for now, and a window which profile it is. */
  private void putWhatDecidesNow(Setting setting, Map<String, Object> view) {
    if (settings.isImposed(setting)) {
      view.putAll(ordered("now", settings.text(setting), "nowOrigin", settings.origin(setting)));
    } else if (setting == Setting.PROFILE && !settings.profile().word().equals(settings.choice(setting))) {
      String origin = settings.profileOrigin();
      view.putAll(ordered("now", settings.profile().word(), "nowOrigin",
          origin.isEmpty() ? Setting.PROFILE_WINDOWS.key() : origin));
    }
  }

  private static String live() {
    return Arrays.stream(Setting.values()).filter(Setting::live).map(Setting::key).collect(Collectors.joining(", "));
  }
}
