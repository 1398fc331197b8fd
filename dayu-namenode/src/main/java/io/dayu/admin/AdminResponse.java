/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.admin;

import org.apache.hadoop.ipc.RefreshResponse;

/**
 * An answer on its way through {@code RefreshRegistry}. The registry logs the message of each answer at INFO and writes
 * the handler's name over the sender, so the message is one short line, and the answer itself, which may be megabytes,
 * is in the field of the sender.
 */
final class AdminResponse extends RefreshResponse {
  AdminResponse(ExitCode code, String line, String json) {
    super(code.code(), line);
    super.setSenderName(json);
  }

  @Override
  public void setSenderName(String handler) {
    // The field has the answer.
  }
}
