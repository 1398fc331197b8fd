/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts.client;

import java.util.List;

/**
 * What the clients that check contents have seen; handed over as JSON. Immutable.
 *
 * @param files that must be there now
 * @param bytes of these files
 * @param written times that a file was written or appended to and closed, and replicated; deletions do not count
 * @param read files that were read and compared
 * @param readBytes bytes that were compared
 * @param failed operations that ended with an exception, which is no violation
 * @param running operations under way
 * @param abandoned files whose last change failed, and that have not been compared and deleted yet
 * @param violations bytes that were wrong; after a check also files that cannot be read
 */
public record CheckedReport(int files, long bytes, long written, long read, long readBytes, long failed, int running,
    int abandoned, List<String> violations) {
  public CheckedReport {
    violations = List.copyOf(violations);
  }
}
