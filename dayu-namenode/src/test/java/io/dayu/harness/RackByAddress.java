/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness;

import org.apache.hadoop.net.AbstractDNSToSwitchMapping;

import java.util.ArrayList;
import java.util.List;

/** Racks of {@link #RACK_SIZE} nodes each, by the number that is in a node's address. Stateless. */
public final class RackByAddress extends AbstractDNSToSwitchMapping {
  public static final int RACK_SIZE = 40;

  @Override
  public List<String> resolve(List<String> addresses) {
    List<String> racks = new ArrayList<>(addresses.size());
    for (String address : addresses) {
      String[] parts = address.split("\\.");
      int node = Integer.parseInt(parts[1]) << 16 | Integer.parseInt(parts[2]) << 8 | Integer.parseInt(parts[3]);
      racks.add("/rack" + node / RACK_SIZE);
    }
    return racks;
  }

  @Override
  public boolean isSingleSwitch() {
    return false;
  }

  @Override
  public void reloadCachedMappings() {
    // Nothing is cached.
  }

  @Override
  public void reloadCachedMappings(List<String> names) {
    // Nothing is cached.
  }
}
