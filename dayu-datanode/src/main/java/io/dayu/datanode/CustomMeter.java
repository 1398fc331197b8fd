/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode;

import java.io.IOException;
import java.util.OptionalLong;

/** A meter of the admin's own class. Reading it throws nothing but an IOException. Thread-safe if that class is. */
record CustomMeter(BandwidthMeter meter) implements BandwidthMeter {
  @Override
  public Counters read() throws IOException {
    try {
      return meter.read();
    } catch (IOException e) {
      throw e;
    } catch (Throwable e) {
      throw new IOException("the meter failed", e);
    }
  }

  @Override
  public OptionalLong capacityBytesPerSec() {
    return meter.capacityBytesPerSec();
  }

  @Override
  public double countedPerBlockByte() {
    return meter.countedPerBlockByte();
  }

  @Override
  public OptionalLong sharedId() {
    try {
      return meter.sharedId();
    } catch (RuntimeException | LinkageError e) {
      // As for a meter that cannot tell. Otherwise the agent would go on to report the last load.
      return OptionalLong.empty();
    }
  }

  @Override
  public String describe() {
    try {
      return meter.describe();
    } catch (RuntimeException | LinkageError e) {
      // This method is called when the meter has failed, so it must not fail as well.
      return meter.getClass().getName();
    }
  }
}
