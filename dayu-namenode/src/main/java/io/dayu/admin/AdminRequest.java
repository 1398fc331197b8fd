/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.admin;

/**
 * One command of one admin. Immutable.
 *
 * @param command what is asked
 * @param argument its argument or note; empty if none was given
 * @param user short name of the caller; {@link #ANYONE} for what the web page shows to all
 */
public record AdminRequest(Command command, String argument, String user) {
  /** In place of a caller whose rights have been checked. */
  public static final String ANYONE = "";

  public boolean isOfAnyone() {
    return user.equals(ANYONE);
  }
}
