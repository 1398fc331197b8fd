/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.conf;

import org.apache.hadoop.conf.Configuration;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The values of all settings at one moment, with their texts and origins. They are valid and consistent: other values
 * are refused. Immutable.
 */
final class SettingValues {
  /** The origin of a default value. */
  static final String DEFAULT = "default";
  private static final int MIN_HEARTBEATS_PER_LEASE = 4;
  /** α where clients' packets go first: recovery does not delay them, and some of the link stays free for the rest. */
  private static final double HONOURED_MAX_UTILIZATION = 0.95;

  /**
   * A value with its text and where it comes from.
   *
   * @param text as it was written; of a word as Dayu knows it
   * @param live whether an admin has set it while the daemon runs
   * @param changedMs when an admin set it, or set it back, in milliseconds since the epoch; 0 = not since the start
   */
  record Value(Object parsed, String text, String origin, boolean live, long changedMs) {
    Value {
      text = parsed instanceof String word ? word : text;
    }

    static Value configured(Object parsed, String text, String origin) {
      return new Value(parsed, text, origin, false, 0);
    }

    /** Whether nobody has set it, or it was set back to the default. */
    boolean isDefault() {
      return !live && (origin.equals(DEFAULT) || origin.startsWith(DEFAULT + ", "));
    }

    /** The same with another value, which follows from other settings. */
    Value derived(long millis) {
      return new Value(millis, millis % 1000 == 0 ? millis / 1000 + "s" : millis + "ms", origin, live, changedMs);
    }
  }

  private final Map<Setting, Value> values;
  /** The profile whose α and B_min these are, but for those that an admin has changed live. */
  private final Profile profile;
  /** Whether a deadline has raised α. */
  private final boolean raised;

  private SettingValues(Map<Setting, Value> values) {
    this(values, Profile.NONE, false);
  }

  private SettingValues(Map<Setting, Value> values, Profile profile, boolean raised) {
    this.values = values;
    this.profile = profile;
    this.raised = raised;
  }

  /** These with an α that is at least this, for a deadline, which goes before all else. */
  SettingValues raised(double atLeast, String origin) {
    if (atLeast <= (Double) get(Setting.MAX_UTILIZATION).parsed()) {
      return this;
    }
    Map<Setting, Value> changed = new EnumMap<>(values);
    changed.put(Setting.MAX_UTILIZATION, Value.configured(atLeast, Double.toString(atLeast), origin));
    return new SettingValues(changed, profile, true);
  }

  /**
   * These with α and B_min of a profile, where no admin has changed them live.
   *
   * @param origin for people
   */
  SettingValues with(Profile holds, String origin) {
    if (holds == Profile.NONE) {
      return this;
    }
    Map<Setting, Value> changed = new EnumMap<>(values);
    if (!get(Setting.MAX_UTILIZATION).live()) {
      changed.put(Setting.MAX_UTILIZATION,
          Value.configured(holds.maxUtilization(), Double.toString(holds.maxUtilization()), origin));
    }
    if (!get(Setting.MIN_BANDWIDTH).live()) {
      changed.put(Setting.MIN_BANDWIDTH,
          Value.configured(0L, Math.round(100 * holds.minRatio()) + " % of a node", origin));
    }
    return new SettingValues(changed, holds, false);
  }

  Profile profile() {
    return profile;
  }

  /** Whether the profile, or a deadline, has this value. */
  boolean isImposed(Setting setting) {
    return raised && setting == Setting.MAX_UTILIZATION
        || profile != Profile.NONE && (setting == Setting.MAX_UTILIZATION || setting == Setting.MIN_BANDWIDTH)
            && !get(setting).live();
  }

  static SettingValues read(Configuration conf) throws BadSettingException {
    Map<Setting, Value> values = new EnumMap<>(Setting.class);
    List<BadSettingException> faults = new ArrayList<>();
    Set<Setting> malformed = EnumSet.noneOf(Setting.class);
    for (Setting setting : Setting.values()) {
      String text = conf.get(setting.key(), setting.defaultText());
      try {
        values.put(setting, Value.configured(setting.parse(text), text, origin(conf, setting)));
      } catch (BadSettingException e) {
        faults.add(e);
        malformed.add(setting);
        values.put(setting, Value.configured(setting.parseDefault(), setting.defaultText(), DEFAULT));
      }
    }
    if (conf.get(Setting.TIMESLOT_LEAD.key()) == null) {
      deriveLead(values);
    }
    if (conf.get(Setting.TIMESLOT_HORIZON.key()) == null) {
      deriveHorizon(values);
    }
    deriveMaxUtilization(values);
    return new SettingValues(values).checked(faults, malformed);
  }

  private static String origin(Configuration conf, Setting setting) {
    String[] sources = conf.getPropertySources(setting.key());
    return sources == null || sources.length == 0 ? DEFAULT : sources[sources.length - 1];
  }

  /** The defaults, without those that differ by storage type; needs no class of Hadoop. */
  static SettingValues defaults() {
    Map<Setting, Value> values = new EnumMap<>(Setting.class);
    for (Setting setting : Setting.values()) {
      if (!setting.isByStorageType()) {
        values.put(setting, Value.configured(setting.parseDefault(), setting.defaultText(), DEFAULT));
      }
    }
    return new SettingValues(values);
  }

  /** These with others for a simulation, by key: as {@link Settings#with}. */
  SettingValues with(Map<String, String> texts) throws BadSettingException {
    Map<Setting, Value> changed = new EnumMap<>(values);
    for (Map.Entry<String, String> text : texts.entrySet()) {
      Setting setting = Setting.ofKey(text.getKey());
      if (setting != null && !setting.isByStorageType()) {
        changed.put(setting, Value.configured(setting.parse(text.getValue()), text.getValue(), "given"));
      }
    }
    if (changed.get(Setting.TIMESLOT_LEAD).origin().equals(DEFAULT)) {
      deriveLead(changed);
    }
    if (changed.get(Setting.TIMESLOT_HORIZON).isDefault()) {
      deriveHorizon(changed);
    }
    if (changed.get(Setting.LEASE).origin().equals(DEFAULT)) {
      deriveLease(changed);
    }
    return new SettingValues(changed).checked();
  }

  /** These with another value of one setting. */
  SettingValues with(Setting setting, Value value) throws BadSettingException {
    Map<Setting, Value> changed = new EnumMap<>(values);
    changed.put(setting, value);
    if (changed.get(Setting.TIMESLOT_LEAD).origin().equals(DEFAULT)) {
      deriveLead(changed);
    }
    if (changed.get(Setting.TIMESLOT_HORIZON).isDefault()) {
      deriveHorizon(changed);
    }
    return new SettingValues(changed).checked();
  }

  /**
   * The lead if none is set. It follows from the interval, so that an admin may shorten that without knowing the lead.
   */
  private static void deriveLead(Map<Setting, Value> values) {
    long halfMs = (Long) values.get(Setting.TIMESLOT_INTERVAL).parsed() / 2;
    long defaultMs = (Long) Setting.TIMESLOT_LEAD.parseDefault();
    String text = halfMs < defaultMs ? halfMs + "ms" : Setting.TIMESLOT_LEAD.defaultText();
    values.put(Setting.TIMESLOT_LEAD, Value.configured(Math.min(halfMs, defaultMs), text, DEFAULT));
  }

  /** The horizon if none is set: as long as a timeslot at least, so that an admin may lengthen that alone. */
  private static void deriveHorizon(Map<Setting, Value> values) {
    long defaultMs = (Long) Setting.TIMESLOT_HORIZON.parseDefault();
    long minMs = (Long) values.get(Setting.TIMESLOT_INTERVAL).parsed();
    values.put(Setting.TIMESLOT_HORIZON, values.get(Setting.TIMESLOT_HORIZON).derived(Math.max(defaultMs, minMs)));
  }

  /** α if none is set, where the network lets clients go first. */
  private static void deriveMaxUtilization(Map<Setting, Value> values) {
    if (values.get(Setting.MAX_UTILIZATION).isDefault()
        && values.get(Setting.TRAFFIC_CLASS).parsed().equals(Settings.HONOURED)) {
      values.put(Setting.MAX_UTILIZATION, Value.configured(HONOURED_MAX_UTILIZATION,
          Double.toString(HONOURED_MAX_UTILIZATION), DEFAULT + ", by " + Setting.TRAFFIC_CLASS.key()));
    }
  }

  /** The lease if none is given to a simulation, which does not depend on it: one that fits the heartbeat interval. */
  private static void deriveLease(Map<Setting, Value> values) {
    long minMs = MIN_HEARTBEATS_PER_LEASE * (Long) values.get(Setting.HEARTBEAT_INTERVAL).parsed();
    if ((Long) values.get(Setting.LEASE).parsed() < minMs) {
      values.put(Setting.LEASE, Value.configured(minMs, minMs + "ms", DEFAULT));
    }
  }

  private SettingValues checked() throws BadSettingException {
    return checked(new ArrayList<>(), Set.of());
  }

  /**
   * Checks values that must fit each other.
   *
   * @param faults what was found before; what is found here is added
   * @param malformed settings whose values are not known, so that no other can be said to fit them
   */
  private SettingValues checked(List<BadSettingException> faults, Set<Setting> malformed) throws BadSettingException {
    if (areKnown(malformed, Setting.METER, Setting.NODE_BANDWIDTH) && get(Setting.METER).parsed().equals("fixed")
        && number(Setting.NODE_BANDWIDTH) == 0) {
      faults.add(new BadSettingException(Setting.NODE_BANDWIDTH.key(), "0",
          "the meter 'fixed' (" + Setting.METER.key() + ") needs the node's bandwidth, such as 125m"));
    }
    if (areKnown(malformed, Setting.TIMESLOT_LEAD, Setting.TIMESLOT_INTERVAL)
        && number(Setting.TIMESLOT_LEAD) >= number(Setting.TIMESLOT_INTERVAL)) {
      faults.add(new BadSettingException(Setting.TIMESLOT_LEAD.key(), get(Setting.TIMESLOT_LEAD).text(),
          "expected less than " + Setting.TIMESLOT_INTERVAL.key() + " = " + get(Setting.TIMESLOT_INTERVAL).text()));
    }
    if (areKnown(malformed, Setting.TIMESLOT_HORIZON, Setting.TIMESLOT_INTERVAL)
        && number(Setting.TIMESLOT_HORIZON) < number(Setting.TIMESLOT_INTERVAL)) {
      faults.add(new BadSettingException(Setting.TIMESLOT_HORIZON.key(), get(Setting.TIMESLOT_HORIZON).text(),
          "expected at least " + Setting.TIMESLOT_INTERVAL.key() + " = " + get(Setting.TIMESLOT_INTERVAL).text()
              + ", or no value: then it follows"));
    }
    if (areKnown(malformed, Setting.LEASE, Setting.HEARTBEAT_INTERVAL)
        && number(Setting.LEASE) < MIN_HEARTBEATS_PER_LEASE * number(Setting.HEARTBEAT_INTERVAL)) {
      faults.add(new BadSettingException(Setting.LEASE.key(), get(Setting.LEASE).text(),
          "expected at least " + MIN_HEARTBEATS_PER_LEASE + " times " + Setting.HEARTBEAT_INTERVAL.key()));
    }
    if (!faults.isEmpty()) {
      throw new BadSettingException(faults);
    }
    return this;
  }

  private static boolean areKnown(Set<Setting> malformed, Setting... needed) {
    return Arrays.stream(needed).noneMatch(malformed::contains);
  }

  Value get(Setting setting) {
    return values.get(setting);
  }

  private long number(Setting setting) {
    return (Long) get(setting).parsed();
  }
}
