/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.blocks;

/**
 * Why no copy of a block that lacks one is under way. The reason is set where it is decided: by the state of the
 * recovery and an admin's control of it, when a block is read, in its history, or by the plan.
 */
public enum WaitReason {
  /** The state is STOCK. */
  STOCK_RECOVERS("it waits for stock HDFS: ", "for stock HDFS"),
  /** An admin holds back blocks of this risk. */
  HELD_BACK("recovery is ", "since an admin holds them back"),
  /** No timeslot is planned now, as after a start. */
  NOTHING_PLANNED("no block is copied yet: ", "since nothing is planned now"),
  /** Groups are left to stock HDFS. */
  ERASURE_CODED("it is left to stock HDFS: it is erasure-coded (see dayu.recovery.erasure-coding)",
      "for stock HDFS: they are erasure-coded"),
  /** It has a replica in provided storage. */
  PROVIDED_STORAGE("it is left to stock HDFS: it is in provided storage",
      "for stock HDFS: they are in provided storage"),
  /** No storage type of its policy is to be had. */
  NO_STORAGE_TYPE("it is left to stock HDFS: its storage policy has no storage type to be had",
      "for stock HDFS: their storage policies have no storage type to be had"),
  /** An error when it was read from HDFS's queues. */
  UNREADABLE("it is left to stock HDFS: an error when it was read, see the NameNode's log",
      "for stock HDFS: errors when they were read, see the NameNode's log"),
  /** Several targets were refused for it. */
  TARGETS_REFUSED("it is left to stock HDFS for some minutes: three targets were refused or failed",
      "for stock HDFS: three targets were refused or failed"),
  /** Several of its copies were begun and not made. */
  COPIES_FAILED("it is left to stock HDFS for some minutes: three copies failed",
      "for stock HDFS: three copies failed"),
  /** Plans passed it over, though there was bandwidth. */
  PASSED_OVER("it is left to stock HDFS for some minutes: plans passed it over, though there was bandwidth",
      "for stock HDFS: plans passed them over"),
  /** No replica can be read. */
  NO_SOURCE("no replica of it can be read now", "for a source: no replica can be read now"),
  /** Of a group fewer internal blocks can be read than a rebuild needs. */
  TOO_FEW_SOURCES("too few of its internal blocks can be read to rebuild another: it waits for more of them",
      "for sources: too few of their internal blocks can be read"),
  /** It is at the highest risk, and one copy of it is under way. */
  FIRST_COPY("at the highest risk it gets one copy at a time: the next follows when the one under way is there",
      "for a copy that is under way"),
  /** The only nodes that could receive it have refused it, failed or left it shortly before. */
  TARGET_SOON("no DataNode can take it for some seconds, for the reasons below", "for a target to be free again"),
  /** The next timeslot copies it. */
  PLANNED_NEXT("it is in the next timeslot's plan", "for the next timeslot"),
  /** No node with an agent can receive it: it is read again, and goes to stock if that is still so. */
  READ_AGAIN(Text.NOWHERE + "; the next timeslot reads it again, since that may have changed", Text.NO_TARGET),
  /** No node with an agent can receive it, as was so in the timeslot before: it goes to stock. */
  NO_TARGET(Text.NOWHERE + "; stock HDFS tries it, and later timeslots do", Text.NO_TARGET),
  /** Others go before it, or no bandwidth is left at its ends. */
  TURN("it waits for its turn: the next timeslot is full with blocks of higher or equal risk, or no candidate has "
      + "bandwidth left; see the figures", "for their turn");

  /** What several reasons say. */
  private static final class Text {
    static final String NOWHERE = "no DataNode can take it now, for the reasons below";
    static final String NO_TARGET = "for a target: no DataNode can take them";
  }

  private final String text;
  private final String ofMany;

  WaitReason(String text, String ofMany) {
    this.text = text;
    this.ofMany = ofMany;
  }

  /** The reason, for people. The first three reasons end with what is said at another place. */
  public String text() {
    return text;
  }

  /** The reason of several blocks, for people: what follows after "they wait". */
  public String ofMany() {
    return ofMany;
  }

  /** The reason under which blocks are counted: what a timeslot makes of some is too short to be one of its own. */
  public WaitReason counted() {
    return this == READ_AGAIN ? NO_TARGET
        : this == PLANNED_NEXT || this == FIRST_COPY || this == TARGET_SOON ? TURN
        : this;
  }
}
