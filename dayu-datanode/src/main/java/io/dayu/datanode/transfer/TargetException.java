/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import java.io.IOException;

/**
 * Something on our own node went wrong (disk full, volume failed, replica exists), so that no other source would help.
 */
class TargetException extends IOException {
  TargetException(String message) {
    super(message);
  }

  TargetException(String message, IOException cause) {
    super(message + ": " + cause, cause);
  }
}
