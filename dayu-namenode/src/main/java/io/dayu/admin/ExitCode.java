/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.admin;

/**
 * How a command ended: the exit code of {@code hdfs dayu} and the exit status of a NameNode's answer. They are
 * documented and stay.
 */
public enum ExitCode {
  /** Done. */
  DONE(0),
  /** The NameNode refused it: a bad value, an unknown block, or not possible in its present state. */
  REFUSED(1),
  /** The command line is wrong; no NameNode was asked. */
  USAGE(2),
  /** No answer from a NameNode: it is down, or the network is. */
  UNREACHABLE(3),
  /** The caller is no HDFS superuser. */
  PERMISSION(4),
  /** Dayu is not active on a NameNode. */
  NOT_ACTIVE(5),
  /** No NameNode is active: all stand by, or are in safe mode since their start. */
  STANDBY(6),
  /** The command is for another NameNode of the same process; not seen by admins. */
  OTHER_NAMENODE(100);

  private final int code;

  ExitCode(int code) {
    this.code = code;
  }

  public int code() {
    return code;
  }

  /** The exit code of this number; an unknown number means REFUSED. */
  public static ExitCode of(int code) {
    for (ExitCode exit : values()) {
      if (exit.code == code) {
        return exit;
      }
    }
    return REFUSED;
  }
}
