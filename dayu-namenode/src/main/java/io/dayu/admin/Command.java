/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.admin;

import java.util.Locale;

/** What an admin can ask of Dayu on a NameNode. Immutable. */
public enum Command {
  STATUS("status", "", "state, progress, agents and settings that were changed"),
  EXPLAIN("explain", "<block|path>", "why a block waits, or where it goes, with the figures of each candidate"),
  NODES("nodes", "", "each DataNode: bandwidth, foreground, recovery, and why it is no target"),
  PLAN("plan", "", "the transfers under way"),
  LEAVING("leaving", "",
      "each DataNode that decommissions or enters maintenance: what is left, until when, what blocks"),
  DEADLINE("deadline", "<node|all> <time>",
      "until when DataNodes that leave are to have left: 6h, 06:00, or none; can it be kept, and at which alpha"),
  PAUSE("pause", "[-for t] [-all] [note]",
      "begin no new transfers for 1h, or t up to 24h (30m, 2h), but for the highest risk unless -all"),
  RESUME("resume", "[note]", "end -pause, -stock or -shadow"),
  STOCK("stock", "[note]", "leave recovery to stock HDFS until -resume"),
  SHADOW("shadow", "[note]", "stock HDFS recovers, and Dayu logs what it would do, until -resume"),
  SET("set", "<key=value>", "change a setting while the NameNodes run; <key>= sets it back"),
  DRY_RUN("dryRun", "", "what the next timeslot would do now; nothing is done");

  private final String word;
  private final String arguments;
  private final String help;

  Command(String word, String arguments, String help) {
    this.word = word;
    this.arguments = arguments;
    this.help = help;
  }

  /** The name on the command line, without its dash. */
  public String word() {
    return word;
  }

  /** Its arguments, for the usage. */
  public String arguments() {
    return arguments;
  }

  public String help() {
    return help;
  }

  /** Whether it changes how a NameNode recovers, and so goes to all NameNodes of the nameservice. */
  public boolean changesState() {
    return switch (this) {
      case DEADLINE, PAUSE, RESUME, STOCK, SHADOW, SET -> true;
      default -> false;
    };
  }

  /** The command of this name, with or without a dash, in any case; null if there is none. */
  public static Command of(String word) {
    String name = word.startsWith("-") ? word.substring(1) : word;
    for (Command command : values()) {
      if (command.word.toLowerCase(Locale.ROOT).equals(name.toLowerCase(Locale.ROOT))) {
        return command;
      }
    }
    return null;
  }
}
