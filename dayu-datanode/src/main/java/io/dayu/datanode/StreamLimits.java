/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode;

import io.dayu.conf.BadSettingException;
import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Applies on this DataNode the values of {@link Setting#VOLUME_MAX_STREAMS} that admins have set on NameNodes. If
 * several NameNodes have one, the smallest number for each storage type applies; if none has, the DataNode's own value.
 * Thread-safe.
 */
final class StreamLimits {
  private static final Logger LOG = LoggerFactory.getLogger(StreamLimits.class);

  /** When an admin changed the value: the NameNode does not say it. */
  private static final long UNKNOWN_TIME_MS = 0;

  private final Settings settings;
  /** The values that admins have set, by block pool. */
  private final Map<String, String> valueByBlockPool = new HashMap<>();

  /** @param settings of this DataNode, which are changed */
  StreamLimits(Settings settings) {
    this.settings = settings;
  }

  /** @param value of the block pool's active NameNode, as written there; empty if no admin has changed it */
  synchronized void set(String blockPoolId, Optional<String> value) {
    Optional<String> valid = value.filter(StreamLimits::isValid);
    String before =
        valid.isPresent() ? valueByBlockPool.put(blockPoolId, valid.get()) : valueByBlockPool.remove(blockPoolId);
    if (Optional.ofNullable(before).equals(valid)) {
      return;
    }
    Setting setting = Setting.VOLUME_MAX_STREAMS;
    try {
      String was = valueByBlockPool.isEmpty() ? settings.reset(setting, "set back by the NameNodes", UNKNOWN_TIME_MS)
          : settings.change(setting, Settings.minByStorageType(setting, valueByBlockPool.values()),
              "set by the NameNodes", UNKNOWN_TIME_MS);
      LOG.info("RECONFIGURE* {} changed from {} to {} on this DataNode", setting.key(), was, settings.text(setting));
    } catch (BadSettingException e) {
      LOG.debug("The values of all block pools together are not valid", e);
    }
  }

  /** The NameNode may be of a newer version. */
  private static boolean isValid(String value) {
    try {
      Settings.minByStorageType(Setting.VOLUME_MAX_STREAMS, List.of(value));
      return true;
    } catch (BadSettingException e) {
      LOG.debug("A NameNode's value is not valid here", e);
      return false;
    }
  }
}
