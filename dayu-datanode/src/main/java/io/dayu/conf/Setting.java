/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.conf;

import java.util.List;

/**
 * Every setting of Dayu: key, default, kind of value, and what it means. Immutable. A test compares
 * {@code conf/dayu-default.xml} and the table in {@code docs/settings.md} with this list.
 */
public enum Setting {
  MAX_UTILIZATION("dayu.recovery.max-utilization", "0.75", Daemon.BOTH, Audience.PUBLIC, new ValueKind.Ratio(0.01, 1.0),
      "Alpha: recovery may fill a node's bandwidth up to this fraction, foreground included."),
  MIN_BANDWIDTH("dayu.recovery.min.bandwidthPerSec", "0", Daemon.BOTH, Audience.PUBLIC, new ValueKind.BytesPerSec(),
      "B_min: what recovery may use of a node in each direction even if foreground leaves less than this "
          + "below alpha. 0 = 12 % of the node's bandwidth. Never above alpha times the node's bandwidth. "
          + "Plans count on less, down to 4 % of the bandwidth, where foreground fills the node."),
  MAX_TOTAL_BANDWIDTH("dayu.recovery.max-total.bandwidthPerSec", "0", Daemon.NAMENODE, Audience.PUBLIC,
      new ValueKind.BytesPerSec(),
      "What recovery may transfer in the whole cluster together, as where racks share uplinks that carry less than "
          + "their nodes. 0 = as much as the nodes allow."),
  PROFILE("dayu.profile", "none", Daemon.NAMENODE, Audience.PUBLIC, new ValueKind.Choice(Profile.words()),
      "How fast recovery is: gentle (alpha 0.5, B_min 6 % of a node's bandwidth), balanced (0.75, 12 %), fast (0.9, "
          + "25 %, and its connections are never marked as lower effort), or none = by the settings of alpha and "
          + "B_min. A profile goes before these, but not before those that hdfs dayu -set has changed. While blocks "
          + "of the highest risk wait, balanced holds instead of gentle."),
  PROFILE_WINDOWS("dayu.profile.windows", "none", Daemon.NAMENODE, Audience.PUBLIC,
      new ValueKind.Parsed("none | windows of the week", ProfileWindows::parse),
      "Windows of the week in which another profile holds than dayu.profile, as in Mon-Fri 08:00-20:00 gentle; "
          + "Sat,Sun fast. A window without times is whole days; one that ends at an earlier time than it begins goes "
          + "on to the next day. Windows must not overlap."),
  PROFILE_TIME_ZONE("dayu.profile.time-zone", "system", Daemon.NAMENODE, Audience.PUBLIC, new ValueKind.TimeZone(),
      "The time zone of dayu.profile.windows, such as Europe/Berlin. system = that of the NameNode's host."),
  MAX_LOSS("dayu.recovery.max-loss", "0.3", Daemon.NAMENODE, Audience.PUBLIC, new ValueKind.Ratio(0.0, 1.0),
      "If more than this fraction of the live DataNodes is lost within 10 minutes, and at least five, only blocks of "
          + "the highest risk are recovered until enough of them are back, hdfs dayu -resume, or 30 minutes have "
          + "passed. 1 = never."),
  ERASURE_CODING("dayu.recovery.erasure-coding", "stock", Daemon.NAMENODE, Audience.PUBLIC,
      new ValueKind.Choice(List.of("stock", "dayu")),
      "Who rebuilds and copies the internal blocks of erasure-coded groups: stock = stock HDFS, for which Dayu only "
          + "leaves bandwidth, dayu = Dayu, where a DataNode's agent can. Applies to what is begun from then on."),
  DECOMMISSION_REBUILD("dayu.decommission.rebuild", "auto", Daemon.NAMENODE, Audience.PUBLIC,
      new ValueKind.Choice(List.of("auto", "never")),
      "Whether internal blocks of erasure-coded groups on a DataNode that is decommissioning or entering maintenance "
          + "are rebuilt from the others, once that DataNode cannot send more: auto, or never, which only copies them. "
          + "For dayu.recovery.erasure-coding=dayu."),
  DECOMMISSION_REBUILD_SHARE("dayu.decommission.rebuild.max-share", "0.5", Daemon.NAMENODE, Audience.PUBLIC,
      new ValueKind.Ratio(0.0, 1.0),
      "How much of all that recovery may transfer such rebuilds take at most: each moves as many bytes as the group "
          + "has data units, for one that is copied."),
  DECOMMISSION_DEADLINES("dayu.decommission.deadlines", "none", Daemon.NAMENODE, Audience.PUBLIC,
      new ValueKind.Parsed("none | deadlines", Deadline::parse),
      "Until when DataNodes that are decommissioning or entering maintenance are to have left, as hdfs dayu -deadline "
          + "writes it: <node or all> <given at> <until> <alpha at most>, with ; between them. Their blocks go before "
          + "the others of their risk, and alpha rises as far as the deadline needs it."),
  TIMESLOT_INTERVAL("dayu.timeslot.interval", "2s", Daemon.NAMENODE, Audience.PUBLIC,
      new ValueKind.Duration(200, 600_000),
      "T, the planning period (the paper uses 15 s). With nothing running, new work starts a timeslot at once."),
  NODE_BANDWIDTH("dayu.datanode.bandwidthPerSec", "0", Daemon.DATANODE, Audience.PUBLIC, new ValueKind.BytesPerSec(),
      "What the node's network carries in each direction. 0 = detect from the interfaces; required for the meter "
          + "fixed."),
  METER("dayu.datanode.meter", "nic", Daemon.DATANODE, Audience.PUBLIC,
      new ValueKind.ChoiceOrClass(List.of("nic", "datanode", "fixed")),
      "How foreground traffic is measured: nic = the host's network interfaces (Linux), datanode = the DataNode's own "
          + "counters (coarse), fixed = not measured; or the name of a class on the DataNode's class path that "
          + "implements io.dayu.datanode.BandwidthMeter."),
  METER_INTERFACES("dayu.datanode.meter.interfaces", "auto", Daemon.DATANODE, Audience.PUBLIC,
      new ValueKind.InterfaceNames(),
      "For the meter nic: the network interfaces that carry block traffic, as in eth0,eth1. auto = the "
          + "interface of the address in dfs.datanode.address, or, if that is 0.0.0.0, of the address that the "
          + "DataNode registers with. For a VLAN or a bridge, the bond or the hardware below it is counted. "
          + "The loopback interface is never counted; for its address, all other interfaces are."),
  VOLUME_BANDWIDTH("dayu.datanode.volume.bandwidthPerSec", "DISK=100m,ARCHIVE=100m,SSD=500m,OTHER=1000m",
      Daemon.DATANODE, Audience.PUBLIC,
      new ValueKind.PerStorageType(new ValueKind.BytesPerSec()),
      "What one volume may carry, by storage type. What a node sends and writes is never planned above the sum over "
          + "its healthy volumes."),
  VOLUME_MAX_STREAMS("dayu.datanode.volume.max-streams", "OTHER=64", Daemon.BOTH, Audience.PUBLIC,
      new ValueKind.PerStorageType(new ValueKind.Count(1, 1_000)),
      "An upper bound of the recovery transfers that one volume writes at once, and of those that it serves "
          + "at once, by storage type. Bandwidth usually allows far fewer."),
  VOLUME_CLIENTS_FIRST("dayu.datanode.volume.clients-first", "true", Daemon.DATANODE, Audience.PUBLIC,
      new ValueKind.Choice(List.of("true", "false")),
      "true = recovery uses a rotating disk (Linux) for one block at a time, and only while nothing else reads from "
          + "it, but at least 2 MB/s (12 % of the time of a disk that positions in 6 ms). Of what it writes this holds "
          + "only with Hadoop's native library. false = at any time, as for arrays of disks that Linux shows as one."),
  REBUILD_MEMORY("dayu.datanode.rebuild.memory", "64m", Daemon.DATANODE, Audience.PUBLIC,
      new ValueKind.Bytes(5 << 20),
      "How much memory the DataNode may use to rebuild internal blocks of erasure-coded groups. Three are rebuilt at "
          + "once, if they fit. With RS-6-3 each takes 2.1 MB. 0 = none are rebuilt by Dayu on this DataNode."),
  SOURCE_MAX_STREAMS("dayu.source.max-streams", "256", Daemon.NAMENODE, Audience.PUBLIC, new ValueKind.Count(1, 4_096),
      "An upper bound of the transfers that are planned to read from one node at once. Targets begin only a "
          + "few of them at a time; each of these occupies one of the node's dfs.datanode.max.transfer.threads."),
  MIN_AGENT_RATIO("dayu.namenode.min-agent-ratio", "0.5", Daemon.NAMENODE, Audience.PUBLIC,
      new ValueKind.Ratio(0.0, 1.0),
      "If fewer than this fraction of the live DataNodes have a live agent, Dayu leaves recovery to stock "
          + "HDFS. It resumes when 1.1 times this fraction has had agents for some time without a break. That "
          + "time grows with repeated losses of agents."),
  LEASE("dayu.transfer.lease", "60s", Daemon.NAMENODE, Audience.PUBLIC, new ValueKind.Duration(2_000, 3_600_000),
      "How long an agent goes on with a transfer that the NameNode no longer confirms. Never more than a third of "
          + "dfs.namenode.reconstruction.pending.timeout-sec, but at least 2s."),
  TRAFFIC_CLASS("dayu.transfer.traffic-class", "none", Daemon.BOTH, Audience.PUBLIC,
      new ValueKind.Choice(List.of("none", "lower-effort", Settings.HONOURED)),
      "none = recovery's connections are as clients'. lower-effort = they carry DSCP 1 (RFC 8622), for networks that "
          + "send such packets only where others leave room; a block with one replica left goes unmarked. "
          + "lower-effort-honoured = the same, and an admin's word that all links of DataNodes do so: recovery may "
          + "fill them at any moment, and dayu.recovery.max-utilization is 0.95 if it is not set. See "
          + "docs/network-priority.md."),
  WATCHDOG_TIMEOUT("dayu.namenode.watchdog.timeout", "30s", Daemon.NAMENODE, Audience.PUBLIC,
      new ValueKind.Duration(1_000, 3_600_000),
      "How long the recovery loop may be silent before stock HDFS takes over (never less than two timeslots)."),
  STARTUP_MODE("dayu.namenode.startup.mode", "run", Daemon.NAMENODE, Audience.PUBLIC,
      new ValueKind.Choice(List.of("run", "shadow")),
      "What a NameNode does from its start on, until a command of hdfs dayu says otherwise: run = Dayu recovers, "
          + "shadow = stock HDFS recovers, and Dayu logs what it would do."),
  WEB_READ_ONLY("dayu.namenode.web.read-only", "false", Daemon.NAMENODE, Audience.PUBLIC,
      new ValueKind.Choice(List.of("false", "true")),
      "true = the NameNode's web page takes no commands; hdfs dayu does."),
  JOURNAL_MAX_BYTES("dayu.namenode.journal.max-bytes", "0", Daemon.NAMENODE, Audience.PUBLIC,
      new ValueKind.Bytes(1 << 20),
      "How much room the journal of recoveries may take, which dayu-sim can inspect and replay. 0 = nothing is "
          + "recorded."),
  JOURNAL_DIRECTORY("dayu.namenode.journal.dir", "${hadoop.log.dir}", Daemon.NAMENODE, Audience.PUBLIC,
      new ValueKind.Directory(),
      "Where the journal is written, on the NameNode's host."),
  TIMESLOT_HORIZON("dayu.timeslot.horizon", "6s", Daemon.NAMENODE, Audience.EXPERT,
      new ValueKind.Duration(200, 3_600_000),
      "How much work is planned in a timeslot: transfers that can finish within this time (the paper: T). Up to "
          + "ten times as long where fewer than seven blocks would fit. Must be at least dayu.timeslot.interval; if it "
          + "is not set, it is at least that long."),
  TIMESLOT_MIN_INTERVAL("dayu.timeslot.min-interval", "1s", Daemon.NAMENODE, Audience.EXPERT,
      new ValueKind.Duration(200, 600_000),
      "Near the end of a recovery timeslots become shorter: half of the time that the remaining work "
          + "takes at full bandwidth, but not shorter than this. Nor does a timeslot end early before this, as where "
          + "a transfer has lost its source. A value of dayu.timeslot.interval or more makes all timeslots equally "
          + "long."),
  TIMESLOT_LEAD("dayu.timeslot.lead", "1s", Daemon.NAMENODE, Audience.EXPERT, new ValueKind.Duration(0, 600_000),
      "Time from the start of planning until the plan takes effect: planning, commit and the way to the "
          + "agents. A plan does not change transfers that end within this time. Must be less than "
          + "dayu.timeslot.interval; if it is not set, it is at most half of that."),
  HEARTBEAT_INTERVAL("dayu.heartbeat.interval", "1s", Daemon.NAMENODE, Audience.EXPERT,
      new ValueKind.Duration(100, 60_000),
      "Interval of agents' reports to the NameNode. It is half as long in clusters of up to 500 nodes. "
          + "While nothing is recovered it is longer in clusters of over 150 nodes, up to 10 s from 3,000 nodes "
          + "on. On very large clusters the NameNode makes it longer."),
  STALL_WINDOW("dayu.transfer.stall-window", "60s", Daemon.NAMENODE, Audience.EXPERT,
      new ValueKind.Duration(1_000, 600_000),
      "A transfer that receives less than 1 % of its grant within this time gets another source; the second "
          + "time it is given up."),
  ALGORITHM("dayu.scheduler.algorithm", "dayu", Daemon.NAMENODE, Audience.EXPERT,
      new ValueKind.ChoiceOrClass(List.of("dayu", "paper")),
      "How timeslots are planned: dayu, or paper = as the paper has it, for comparison; or the name of a class on the "
          + "NameNode's class path that implements io.dayu.schedule.AlgorithmProvider. With paper, "
          + "erasure-coded groups are left to stock HDFS."),
  UNDEREMPLOYED_RATIO("dayu.scheduler.underemployed-ratio", "0.05", Daemon.NAMENODE, Audience.EXPERT,
      new ValueKind.Ratio(0.0, 1.0),
      "Beta: the fraction of nodes taken from each of the two lists that make up the underemployed nodes."),
  BUCKET_BANDWIDTH("dayu.scheduler.bucket.bandwidthPerSec", "1000000", Daemon.NAMENODE, Audience.EXPERT,
      new ValueKind.BytesPerSec(),
      "Nodes whose idle bandwidth falls into one bucket of this width count as equal when targets are chosen. 0 = "
          + "exact."),
  EVICTION_FACTOR("dayu.scheduler.eviction-factor", "1.3", Daemon.NAMENODE, Audience.EXPERT,
      new ValueKind.Factor(100.0),
      "Near the end of a recovery a transfer is moved away from a node where it would take longer than "
          + "the remaining work takes at full bandwidth, multiplied by this factor. 0 = it is moved only if it "
          + "would not end within the horizon, as in the paper."),
  TIE_BREAK("dayu.scheduler.tie-break", "none", Daemon.NAMENODE, Audience.EXPERT,
      new ValueKind.Choice(List.of("none", "space", "latency", "journal")),
      "Which of the equally loaded nodes of one bucket becomes the target: none = any, space = the one with the most "
          + "free bytes, latency = the one that receives the least foreground, journal = the one with the fewest bytes "
          + "on their way to it."),
  LOCK_MAX_HOLD("dayu.namenode.lock.max-hold", "2ms", Daemon.NAMENODE, Audience.EXPERT,
      new ValueKind.Duration(1, 10_000),
      "Bound on one hold of the namesystem lock.");

  /** Which daemon reads a setting. */
  public enum Daemon {
    NAMENODE("NameNode"), DATANODE("DataNode"), BOTH("both");

    private final String text;

    Daemon(String text) {
      this.text = text;
    }

    @Override
    public String toString() {
      return text;
    }
  }

  /**
   * PUBLIC settings describe the cluster or promise something. EXPERT ones are for those who study the scheduler; no
   * cluster should need them.
   */
  public enum Audience { PUBLIC, EXPERT }

  private final String key;
  private final String defaultText;
  private final Daemon daemon;
  private final Audience audience;
  private final ValueKind kind;
  private final String description;

  Setting(String key, String defaultText, Daemon daemon, Audience audience, ValueKind kind, String description) {
    this.key = key;
    this.defaultText = defaultText;
    this.daemon = daemon;
    this.audience = audience;
    this.kind = kind;
    this.description = description;
  }

  public String key() {
    return key;
  }

  /** The default, written as in a configuration file. */
  public String defaultText() {
    return defaultText;
  }

  public Daemon daemon() {
    return daemon;
  }

  public Audience audience() {
    return audience;
  }

  public String unit() {
    return kind.unit();
  }

  public String description() {
    return description;
  }

  boolean isByStorageType() {
    return kind instanceof ValueKind.PerStorageType;
  }

  Object parseDefault() {
    return kind.parse(defaultText);
  }

  /** Whether an admin may change it while the daemon runs ({@code hdfs dayu -set}). */
  public boolean live() {
    return switch (this) {
      case DECOMMISSION_DEADLINES, MAX_UTILIZATION, MIN_BANDWIDTH, MAX_TOTAL_BANDWIDTH, PROFILE, PROFILE_WINDOWS,
          PROFILE_TIME_ZONE, MAX_LOSS, ERASURE_CODING, DECOMMISSION_REBUILD,
          DECOMMISSION_REBUILD_SHARE, TIMESLOT_INTERVAL, TIMESLOT_HORIZON, VOLUME_MAX_STREAMS,
          SOURCE_MAX_STREAMS, JOURNAL_MAX_BYTES ->
          true;
      default -> false;
    };
  }

  /** The setting of this key, or null if there is none. */
  public static Setting ofKey(String key) {
    for (Setting setting : values()) {
      if (setting.key.equals(key)) {
        return setting;
      }
    }
    return null;
  }

  Object parse(String text) throws BadSettingException {
    try {
      return kind.parse(text);
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw new BadSettingException(key, text, e.getMessage());
    }
  }
}
