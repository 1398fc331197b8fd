/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.conf;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.StorageType;

import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.StringJoiner;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;

/**
 * The settings of one daemon: parsed once at start, and some of them changed by an admin while it runs. Values are
 * asked for by {@link Setting}; the accessor names the unit. Thread-safe; a change replaces all values at once.
 */
public final class Settings {
  private static final String PREFIX = "dayu.";

  /** Alpha where none is set and recovery shares clients' queues. */
  public static final double DEFAULT_MAX_UTILIZATION = 0.75;
  /** B_min where none is set: 30 of 250 MB/s, as in the paper. */
  public static final double DEFAULT_MIN_RATIO = 0.12;
  /** By how much B_min is raised for blocks at the highest risk. */
  public static final int HIGHEST_RISK_MIN_FACTOR = 2;
  /** So long after its last packet a transfer at the highest risk still uses the link. */
  public static final long HIGHEST_RISK_MS = 1000;
  /** How much more than one of the others transfers at the highest risk weigh on a full link, all of them together. */
  public static final int HIGHEST_RISK_WEIGHT = 64;
  /** The traffic class of networks that are known to let clients go first. */
  static final String HONOURED = "lower-effort-honoured";
  /** The share of 1 - alpha that recovery leaves to clients even at its peaks. */
  private static final double PEAK_HEADROOM = 0.2;

  /** How long recovery may save bandwidth below alpha that it did not use. */
  public static final double CREDIT_SEC = 8;
  /**
   * Transfers that an agent runs at once, if it has as many: while one waits for its source, the other makes progress.
   */
  public static final int MIN_RUNNING = 2;
  /**
   * Rebuilds that an agent runs at once. Each has a stream from each of its sources: where all targets run so many, a
   * source has three times k in the mean. With more, all advance slowly together, and one that must move near the end
   * loses much; those that wait lose nothing. docs/results.md has the runs. Of those at the highest risk as many run,
   * whatever others do.
   */
  public static final int MAX_REBUILDS = 3;
  /** An agent starts one more transfer when its link had room for this long, and again after the same time. */
  public static final long FILL_AFTER_MS = 200;
  /** An agent runs one transfer less when its link was full for this long, and again after the same time. */
  public static final long LOWER_AFTER_MS = 1000;
  /** Clients' traffic above alpha holds up recovery for at most this long afterwards. */
  public static final double MEAN_DEBT_SEC = 1;
  /** How long recovery may save bandwidth below B_min that it did not use. */
  public static final double GUARANTEE_CREDIT_SEC = 1;
  /** Recovery that had more than B_min gets nothing of a full link for at most this long. */
  public static final double GUARANTEE_DEBT_SEC = 4;
  /** A busy agent reports how its transfers ended no sooner than this after its last report. */
  public static final int PROMPT_REPORT_MS = 150;
  /** The maximum number of reports a second that all agents together send. */
  public static final int MAX_REPORTS_PER_SEC = 5_000;

  /** Keys of earlier versions, and what has replaced them. */
  private static final Map<String, Setting> REPLACED = Map.of(
      "dayu.scheduler.targets", Setting.ALGORITHM, "dayu.scheduler.rates", Setting.ALGORITHM,
      "dayu.scheduler.forecast", Setting.ALGORITHM, "dayu.scheduler.order", Setting.ALGORITHM);

  private final List<String> unknownKeys;
  /** As they were at the start. */
  private final SettingValues configured;
  /** As they are set, whatever profile holds. */
  private volatile SettingValues set;
  /** {@link #set} with what the profile in force changes. */
  private volatile SettingValues values;
  private volatile String profileOrigin = "";
  /** α for a deadline, and which; 0 = none. */
  private double raisedUtilization;
  private String raisedOrigin = "";

  private Settings(SettingValues values, List<String> unknownKeys) {
    this.set = values;
    this.values = values;
    this.configured = values;
    this.unknownKeys = unknownKeys;
  }

  /**
   * Reads every setting of Dayu from {@code conf}.
   *
   * @throws BadSettingException for a malformed value. An unknown key that begins with {@code dayu.} may belong to a
   *     newer version: see {@link #unknownKeys}
   */
  public static Settings read(Configuration conf) throws BadSettingException {
    return new Settings(SettingValues.read(conf), unknownKeys(conf));
  }

  private static List<String> unknownKeys(Configuration conf) {
    TreeSet<String> unknown = new TreeSet<>();
    conf.forEach(entry -> {
      // A key in another case than Dayu's is another key.
      if (entry.getKey().regionMatches(true, 0, PREFIX, 0, PREFIX.length())) {
        unknown.add(entry.getKey());
      }
    });
    for (Setting setting : Setting.values()) {
      unknown.remove(setting.key());
    }
    return List.copyOf(unknown);
  }

  /** The defaults, without those that differ by storage type; needs no class of Hadoop. */
  public static Settings defaults() {
    return new Settings(SettingValues.defaults(), List.of());
  }

  /**
   * These settings with other values, for a simulation; needs no class of Hadoop.
   *
   * @param texts by key; those of unknown keys, and of settings that differ by storage type, are passed over
   * @throws BadSettingException with one line that says what is allowed
   */
  public Settings with(Map<String, String> texts) throws BadSettingException {
    return new Settings(values.with(texts), unknownKeys);
  }

  /** Keys that begin with {@code dayu.}, in any case, and that this version does not know, in order. */
  public List<String> unknownKeys() {
    return unknownKeys;
  }

  /** One line for each unknown key, for the log, so that typing errors are noticed. */
  public List<String> warnings() {
    return warnings(unknownKeys);
  }

  /** The same for a configuration whose values may be wrong. */
  public static List<String> warnings(Configuration conf) {
    return warnings(unknownKeys(conf));
  }

  private static List<String> warnings(List<String> unknownKeys) {
    List<String> warnings = new ArrayList<>();
    for (String key : unknownKeys) {
      Setting replacement = REPLACED.get(key);
      warnings.add(replacement != null
          ? "Dayu ignores the setting " + key + ": " + replacement.key() + " has replaced it"
          : "Dayu does not know the setting " + key
              + " and ignores it: it is misspelt or of a newer version"
              + suggestion(key).map(near -> ". The nearest that this version knows is " + near.key()).orElse(""));
    }
    return warnings;
  }

  /** The setting that has replaced the key, or that a misspelt key means: at most a quarter of the key differs. */
  public static Optional<Setting> suggestion(String key) {
    if (REPLACED.containsKey(key)) {
      return Optional.of(REPLACED.get(key));
    }
    String lowered = key.toLowerCase(Locale.ROOT);
    return Arrays.stream(Setting.values()).min(Comparator.comparingInt(one -> editDistance(lowered, one.key())))
        .filter(nearest -> 4 * editDistance(lowered, nearest.key()) <= key.length());
  }

  /** Levenshtein's distance. */
  private static int editDistance(String a, String b) {
    int[] row = new int[b.length() + 1];
    for (int j = 0; j < row.length; j++) {
      row[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j < row.length; j++) {
        int replaced = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
      }
    }
    return row[b.length()];
  }

  /**
   * Changes a setting from now on, until the daemon ends or {@link #reset}. Nothing is changed if the value is not
   * valid or does not fit the others.
   *
   * @param origin who changed it and when, for people
   * @param changedMs when, in milliseconds since the epoch
   * @return the text that it had before
   * @throws BadSettingException with one line that says what is allowed
   */
  public synchronized String change(Setting setting, String text, String origin, long changedMs)
      throws BadSettingException {
    checkLive(setting, text);
    return replace(setting, new SettingValues.Value(setting.parse(text), text.trim(), origin, true, changedMs));
  }

  /**
   * Gives a setting the value again that it had when the daemon started.
   *
   * @param by who did it and when, for people
   * @param changedMs when, in milliseconds since the epoch
   * @return the text that it had before
   * @throws BadSettingException with one line, if the setting cannot be changed live
   */
  public synchronized String reset(Setting setting, String by, long changedMs) throws BadSettingException {
    checkLive(setting, "");
    SettingValues.Value start = configured.get(setting);
    return replace(setting,
        new SettingValues.Value(start.parsed(), start.text(), start.origin() + ", " + by, false, changedMs));
  }

  private static void checkLive(Setting setting, String text) throws BadSettingException {
    if (!setting.live()) {
      throw new BadSettingException(setting.key(), text,
          "it is read when the daemon starts; change it in hdfs-site.xml and restart");
    }
  }

  private String replace(Setting setting, SettingValues.Value value) throws BadSettingException {
    SettingValues before = set;
    set = before.with(setting, value);
    impose(values.profile());
    return before.get(setting).text();
  }

  /**
   * Brings the profile into force that holds at this time. To be called often; cheap if nothing changes.
   *
   * @param highestRiskWaits whether blocks of the highest risk wait or are copied; asked for only where it matters
   * @return one line for people if another profile holds than before
   */
  public synchronized Optional<String> followProfile(Instant now, BooleanSupplier highestRiskWaits) {
    ZoneId zone = (ZoneId) set.get(Setting.PROFILE_TIME_ZONE).parsed();
    ProfileWindows windows = (ProfileWindows) set.get(Setting.PROFILE_WINDOWS).parsed();
    ZonedDateTime local = now.atZone(zone);
    Optional<ProfileWindows.Window> window = windows.at(local);
    Profile wanted = window.map(ProfileWindows.Window::profile)
        .orElseGet(() -> Profile.of(choice(Setting.PROFILE)).orElse(Profile.NONE));
    Profile holds = wanted.forHighestRisk() != wanted && highestRiskWaits.getAsBoolean() ? wanted.forHighestRisk()
        : wanted;
    String origin = wanted == Profile.NONE ? "" : "profile " + wanted.word()
        + window.map(one -> ", window " + one.text()).orElse("")
        + windows.nextChange(local).map(change -> " until " + change + " " + zone.getId()).orElse("")
        + (holds == wanted ? "" : "; " + holds.word() + " while blocks of the highest risk wait");
    Profile before = values.profile();
    if (before == holds && origin.equals(profileOrigin)) {
      return Optional.empty();
    }
    profileOrigin = origin;
    impose(holds);
    return before == holds ? Optional.empty() : Optional.of(before.word() + " -> " + holds.word()
        + (origin.isEmpty() ? "" : " (" + origin + ")") + ": alpha = " + ratio(Setting.MAX_UTILIZATION) + ", B_min = "
        + (isImposed(Setting.MIN_BANDWIDTH) ? text(Setting.MIN_BANDWIDTH)
            : bytesPerSec(Setting.MIN_BANDWIDTH) == 0 ? "12 % of a node"
            : text(Setting.MIN_BANDWIDTH)));
  }

  private void impose(Profile profile) {
    values = set.with(profile, profileOrigin).raised(raisedUtilization, raisedOrigin);
  }

  /**
   * Raises α to this at least from now on, for a deadline; 0 = no longer.
   *
   * @param origin which deadline, for people
   */
  public synchronized void raiseMaxUtilization(double atLeast, String origin) {
    raisedUtilization = atLeast;
    raisedOrigin = origin;
    impose(values.profile());
  }

  /** α as it would be without a deadline. */
  public synchronized double maxUtilizationWithoutDeadline() {
    return (Double) set.with(values.profile(), profileOrigin).get(Setting.MAX_UTILIZATION).parsed();
  }

  /** The profile in force, which {@link #followProfile} has set. */
  public Profile profile() {
    return values.profile();
  }

  /** By which setting and window it holds, and until when, for people; empty for none. */
  public String profileOrigin() {
    return profileOrigin;
  }

  /** Whether the profile in force or a deadline decides this value, not a file or {@code -set}. */
  public boolean isImposed(Setting setting) {
    return values.isImposed(setting);
  }

  /** The deadlines of DataNodes that leave. */
  @SuppressWarnings("unchecked")
  public List<Deadline> deadlines() {
    return (List<Deadline>) parsed(Setting.DECOMMISSION_DEADLINES);
  }

  /** The zone of times that admins say. */
  public ZoneId timeZone() {
    return (ZoneId) parsed(Setting.PROFILE_TIME_ZONE);
  }

  /**
   * A value by storage type that has for each type the smallest number of {@code texts}.
   *
   * @param texts at least one
   */
  public static String minByStorageType(Setting setting, Collection<String> texts) throws BadSettingException {
    Map<StorageType, Long> min = new EnumMap<>(StorageType.class);
    for (String text : texts) {
      byStorageType(setting.parse(text)).forEach((type, number) -> min.merge(type, number, Math::min));
    }
    StringJoiner text = new StringJoiner(",");
    min.forEach((type, number) -> text.add(type + "=" + number));
    // Every type is named.
    return text.add("OTHER=" + min.values().iterator().next()).toString();
  }

  /** The value as it was written; a word as Dayu knows it, in lower case. */
  public String text(Setting setting) {
    return values.get(setting).text();
  }

  /** Whether {@code text} means the present value, in whatever way it is written. */
  public boolean hasValue(Setting setting, String text) {
    try {
      return setting.parse(text).equals(parsed(setting));
    } catch (BadSettingException e) {
      return false;
    }
  }

  /** Where the value comes from: {@code default}, a file, or who changed it when. */
  public String origin(Setting setting) {
    return values.get(setting).origin();
  }

  private Object parsed(Setting setting) {
    return values.get(setting).parsed();
  }

  public long millis(Setting setting) {
    return (Long) parsed(setting);
  }

  public long bytesPerSec(Setting setting) {
    return (Long) parsed(setting);
  }

  public long bytes(Setting setting) {
    return (Long) parsed(setting);
  }

  public String path(Setting setting) {
    return (String) parsed(setting);
  }

  public int count(Setting setting) {
    return Math.toIntExact((Long) parsed(setting));
  }

  public double ratio(Setting setting) {
    return (Double) parsed(setting);
  }

  /** The fraction of a link that recovery may fill at moments without clients; alpha holds as a mean over minutes. */
  public double peakUtilization() {
    return goesBehindClients() ? 1 : peakUtilization(ratio(Setting.MAX_UTILIZATION));
  }

  /** The same for another alpha, where recovery and clients share a queue. */
  public static double peakUtilization(double maxUtilization) {
    return 1 - PEAK_HEADROOM * (1 - maxUtilization);
  }

  /** Whether an admin says that the network sends recovery's packets only where clients leave room. */
  public boolean goesBehindClients() {
    return choice(Setting.TRAFFIC_CLASS).equals(HONOURED) && !profile().isUnmarked();
  }

  /**
   * Whether an admin has set another value while the daemon runs, and has not set it back, even if a deadline imposes
   * another one now.
   */
  public boolean changed(Setting setting) {
    return set.get(setting).live();
  }

  /** The value as it is set, whatever a profile or a deadline imposes now. */
  public String setText(Setting setting) {
    return set.get(setting).text();
  }

  /** Where that comes from. */
  public String setOrigin(Setting setting) {
    return set.get(setting).origin();
  }

  /** Whether nobody has set it here, or it was set back to the default. */
  public boolean isDefault(Setting setting) {
    return values.get(setting).isDefault();
  }

  /** When an admin last changed the setting or set it back, in ms since the epoch; 0 = not since the start. */
  public long changedMs(Setting setting) {
    return set.get(setting).changedMs();
  }

  /** Whether a file of this daemon's configuration has the setting. */
  public boolean inFile(Setting setting) {
    return !configured.get(setting).origin().equals(SettingValues.DEFAULT);
  }

  /** B_min as a fraction of a node's bandwidth, if the profile in force decides it. */
  public OptionalDouble imposedMinRatio() {
    SettingValues now = values;
    return now.isImposed(Setting.MIN_BANDWIDTH) ? OptionalDouble.of(now.profile().minRatio()) : OptionalDouble.empty();
  }

  /** B_min of equation 1 (ATC'19 §2.1) for a node of this bandwidth. */
  public double minBytesPerSec(double totalBytesPerSec) {
    SettingValues now = values;
    double alpha = (Double) now.get(Setting.MAX_UTILIZATION).parsed();
    return now.isImposed(Setting.MIN_BANDWIDTH) ? Math.min(alpha, now.profile().minRatio()) * totalBytesPerSec
        : minBytesPerSec((Long) now.get(Setting.MIN_BANDWIDTH).parsed(), alpha, totalBytesPerSec);
  }

  /** The same for another B_min, as it is set, and another alpha. */
  public static double minBytesPerSec(long setBytesPerSec, double maxUtilization, double totalBytesPerSec) {
    return Math.min(maxUtilization, setBytesPerSec > 0 ? setBytesPerSec / totalBytesPerSec : DEFAULT_MIN_RATIO)
        * totalBytesPerSec;
  }

  public String choice(Setting setting) {
    return (String) parsed(setting);
  }

  @SuppressWarnings("unchecked")
  public List<String> names(Setting setting) {
    return (List<String>) parsed(setting);
  }

  /** The value of a setting that differs by storage type, in the setting's unit. */
  public long forStorageType(Setting setting, StorageType type) {
    return byStorageType(parsed(setting)).get(type);
  }

  @SuppressWarnings("unchecked")
  private static Map<StorageType, Long> byStorageType(Object parsed) {
    return (Map<StorageType, Long>) parsed;
  }
}
