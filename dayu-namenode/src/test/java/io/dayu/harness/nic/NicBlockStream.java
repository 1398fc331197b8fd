/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness.nic;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** A replica's data on its way to the network, as fast as the NIC lets it. Used by one thread at a time. */
public final class NicBlockStream extends FilterInputStream {
  private final Flow flow;
  private long leftBytes;

  /**
   * @param leftBytes from here to the end of the block, whose last byte a reader is not to see before its time
   */
  public NicBlockStream(InputStream in, Flow flow, long leftBytes) {
    super(in);
    this.flow = flow;
    this.leftBytes = leftBytes;
  }

  @Override
  public int read() throws IOException {
    int value = super.read();
    if (value >= 0) {
      passed(1);
    }
    return value;
  }

  @Override
  public int read(byte[] buffer, int offset, int length) throws IOException {
    int bytes = super.read(buffer, offset, length);
    if (bytes > 0) {
      passed(bytes);
    }
    return bytes;
  }

  private void passed(int bytes) throws IOException {
    leftBytes -= bytes;
    flow.pass(bytes, false);
    if (leftBytes <= 0) {
      flow.drain();
    }
  }
}
