/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.planning;

/**
 * Why no copy of a block that lacks one is under way. The reason is set where it is decided: by the state of the
 * recovery and an admin's control of it, when a block is read, in its history, or by the plan.
 */
public enum WaitReason {
  /** The state is STOCK. */
  STOCK_RECOVERS("it waits for stock HDFS: "),
  /** An admin holds back blocks of this risk. */
  HELD_BACK("recovery is "),
  /** No timeslot is planned now, as after a start. */
  NOTHING_PLANNED("no block is copied yet: "),
  /** Blocks of this kind are never planned: {@code WaitingBlock.stockOnly}. */
  KIND_FOR_STOCK("it is left to stock HDFS: it is erasure-coded (see dayu.recovery.erasure-coding), in provided "
      + "storage, or its storage policy has no storage type to be had"),
  /** Several targets were refused for it. */
  TARGETS_REFUSED(Text.FAILED),
  /** Several of its copies were begun and not made. */
  COPIES_FAILED(Text.FAILED),
  /** Plans passed it over, though there was bandwidth. */
  PASSED_OVER("it is left to stock HDFS for some minutes: plans passed it over, though there was bandwidth"),
  /** No replica can be read. */
  NO_SOURCE("no replica of it can be read now"),
  /** Of a group fewer internal blocks can be read than a rebuild needs. */
  TOO_FEW_SOURCES("too few of its internal blocks can be read to rebuild another: it waits for more of them"),
  /** The next timeslot copies it. */
  PLANNED_NEXT("it is in the next timeslot's plan"),
  /** No node with an agent can receive it: it is read again, and goes to stock if that is still so. */
  READ_AGAIN(Text.NOWHERE + "; the next timeslot reads it again, since that may have changed"),
  /** No node with an agent can receive it, as was so in the timeslot before: it goes to stock. */
  NO_TARGET(Text.NOWHERE + "; stock HDFS tries it, and later timeslots do"),
  /** Others go before it, or no bandwidth is left at its ends. */
  TURN("it waits for its turn: the next timeslot is full with blocks of higher or equal risk, or no candidate has "
      + "bandwidth left; see the figures");

  /** What several reasons say. */
  private static final class Text {
    static final String FAILED = "it is left to stock HDFS for some minutes: three targets were refused or failed";
    static final String NOWHERE = "no DataNode can take it now, for the reasons below";
  }

  private final String text;

  WaitReason(String text) {
    this.text = text;
  }

  /** The reason, for people. The first three reasons end with what is said at another place. */
  public String text() {
    return text;
  }
}
