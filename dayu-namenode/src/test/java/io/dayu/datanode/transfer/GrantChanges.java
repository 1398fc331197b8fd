/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import io.dayu.protocol.DayuProtos.GrantProto;

import java.util.List;

import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.withSettings;

/** Rates and sources that change under a transfer that has begun, for tests in another package. */
public final class GrantChanges {
  private GrantChanges() {
  }

  public static void followWhileConnected(List<GrantProto> grants) throws Exception {
    if (!grants.isEmpty()) {
      LinkShaper link = new LinkShaper(1L << 30, 0.75, 0.95, 1 << 20, 1, System.nanoTime());
      TransferControl control = new TransferControl(grants.get(0), System.nanoTime(), Thread.currentThread(), link);
      control.sources().get(0).begin(mock(SourceStream.class, withSettings().stubOnly()), grants.get(0).getSource());
      for (GrantProto grant : grants) {
        control.update(grant, System.nanoTime());
      }
    }
  }
}
