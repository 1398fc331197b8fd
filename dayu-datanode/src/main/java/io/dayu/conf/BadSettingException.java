/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.conf;

import java.util.List;
import java.util.stream.Collectors;

/**
 * One or several settings that are unknown or malformed. Its message is the one line that the admin reads: of each the
 * key, the value and what is allowed.
 */
public final class BadSettingException extends Exception {
  private final String[] faults;

  /** Several at once, at least one, so that the admin corrects all before the next start. */
  BadSettingException(List<BadSettingException> all) {
    super(all.stream().map(BadSettingException::getMessage).collect(Collectors.joining("; ")));
    faults = all.stream().map(BadSettingException::getMessage).toArray(String[]::new);
  }

  public BadSettingException(String key, String value, String allowed) {
    super("setting " + key + " = '" + value + "' is not valid: " + allowed);
    faults = new String[] {getMessage()};
  }

  /** One line for each setting. */
  public List<String> faults() {
    return List.of(faults);
  }
}
