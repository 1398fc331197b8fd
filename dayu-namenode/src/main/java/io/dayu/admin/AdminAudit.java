/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.admin;

/** Where commands and their refusals are recorded: HDFS's audit log. Thread-safe. */
public interface AdminAudit {
  /**
   * Records a command.
   *
   * @param argument its argument; empty if there is none
   * @param refusal why it was refused; null if it was done
   */
  void record(AdminCaller caller, Command command, String argument, String refusal);
}
