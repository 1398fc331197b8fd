/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.admin;

import java.util.Map;

/** What carries commands out. Thread-safe; called by RPC handlers. */
public interface AdminOperations {
  /**
   * Carries a command out; the caller's rights have been checked.
   *
   * @return the answer: values that JSON can hold, by names in lower camel case
   * @throws AdminException if it was not done
   */
  Map<String, Object> run(AdminRequest request) throws AdminException;
}
