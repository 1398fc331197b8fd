/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.conf;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.StorageType;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The settings of one daemon, parsed once at start. Immutable, so safe for use by all threads. Values are asked for by
 * {@link Setting}; the accessor names the unit.
 */
public final class Settings {
  private static final String PREFIX = "dayu.";
  private static final int LEAST_HEARTBEATS_A_LEASE = 4;

  /** B_min where none is set: 30 of 250 MB/s, as in the paper. */
  private static final double DEFAULT_MIN_RATIO = 0.12;
  /** Of what alpha leaves to clients, the part that is left to them even at recovery's peaks. */
  private static final double PEAK_HEADROOM = 0.2;

  /** How long recovery may save up what it did not use of alpha. */
  public static final double CREDIT_SEC = 8;
  /** Transfers that an agent runs at once where there are so many: while one waits for its source, the other goes on. */
  public static final int MIN_RUNNING = 2;

  private final Map<Setting, Object> values;

  private Settings(Map<Setting, Object> values) {
    this.values = values;
  }

  /**
   * Reads every setting of Dayu from {@code conf}.
   *
   * @throws BadSettingException for a malformed value and for a key that begins with {@code dayu.} and is none of ours
   */
  public static Settings read(Configuration conf) throws BadSettingException {
    TreeSet<String> unknown = new TreeSet<>();
    conf.forEach(entry -> {
      if (entry.getKey().startsWith(PREFIX)) {
        unknown.add(entry.getKey());
      }
    });
    Map<Setting, Object> values = new EnumMap<>(Setting.class);
    for (Setting setting : Setting.values()) {
      unknown.remove(setting.key());
      values.put(setting, setting.parse(conf.get(setting.key(), setting.defaultText())));
    }
    if (!unknown.isEmpty()) {
      throw new BadSettingException(unknown.first(), conf.get(unknown.first()), "no such setting; known are "
          + Arrays.stream(Setting.values()).map(Setting::key).collect(Collectors.joining(", ")));
    }
    Settings settings = new Settings(values);
    if (settings.word(Setting.METER).equals("fixed") && settings.bytesPerSec(Setting.NODE_BANDWIDTH) == 0) {
      throw new BadSettingException(Setting.NODE_BANDWIDTH.key(), "0",
          "the meter 'fixed' (" + Setting.METER.key() + ") needs the node's bandwidth, such as 125m");
    }
    if (settings.millis(Setting.TIMESLOT_LEAD) >= settings.millis(Setting.TIMESLOT_INTERVAL)) {
      throw new BadSettingException(Setting.TIMESLOT_LEAD.key(), conf.get(Setting.TIMESLOT_LEAD.key(),
          Setting.TIMESLOT_LEAD.defaultText()), "expected less than " + Setting.TIMESLOT_INTERVAL.key());
    }
    if (settings.millis(Setting.LEASE) < LEAST_HEARTBEATS_A_LEASE * settings.millis(Setting.HEARTBEAT_INTERVAL)) {
      throw new BadSettingException(Setting.LEASE.key(), conf.get(Setting.LEASE.key(), Setting.LEASE.defaultText()),
          "expected at least " + LEAST_HEARTBEATS_A_LEASE + " times " + Setting.HEARTBEAT_INTERVAL.key());
    }
    return settings;
  }

  /** The defaults, without those that differ by storage type: needs nothing of Hadoop. */
  public static Settings defaults() {
    Map<Setting, Object> values = new EnumMap<>(Setting.class);
    for (Setting setting : Setting.values()) {
      if (!setting.isByStorageType()) {
        values.put(setting, setting.parseDefault());
      }
    }
    return new Settings(values);
  }

  public long millis(Setting setting) {
    return (Long) values.get(setting);
  }

  public long bytesPerSec(Setting setting) {
    return (Long) values.get(setting);
  }

  public int count(Setting setting) {
    return Math.toIntExact((Long) values.get(setting));
  }

  public double ratio(Setting setting) {
    return (Double) values.get(setting);
  }

  /** Up to which fraction of a link recovery may use moments without clients; over some seconds it keeps to alpha. */
  public double peakUtilization() {
    return 1 - PEAK_HEADROOM * (1 - ratio(Setting.MAX_UTILIZATION));
  }

  /** B_min of equation 1 (ATC'19 §2.1) for a node of this bandwidth. */
  public double minBytesPerSec(double totalBytesPerSec) {
    long set = bytesPerSec(Setting.MIN_BANDWIDTH);
    return Math.min(ratio(Setting.MAX_UTILIZATION), set > 0 ? set / totalBytesPerSec : DEFAULT_MIN_RATIO) * totalBytesPerSec;
  }

  public String word(Setting setting) {
    return (String) values.get(setting);
  }

  /** The value of a setting that differs by storage type, in the setting's unit. */
  @SuppressWarnings("unchecked")
  public long forStorageType(Setting setting, StorageType type) {
    return ((Map<StorageType, Long>) values.get(setting)).get(type);
  }
}
