/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import org.apache.hadoop.io.erasurecode.ErasureCoderOptions;
import org.apache.hadoop.io.erasurecode.rawcoder.RSRawDecoder;
import org.apache.hadoop.io.erasurecode.rawcoder.RSRawErasureCoderFactory;
import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureDecoder;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;

/** Codecs for tests, which Hadoop finds by {@code META-INF/services}: Reed-Solomon, but for one thing each. */
public final class TestCoders {
  static final String FLIPPING = "rs-flipping";
  static final String DIRECT = "rs-direct";
  /** Decoders that have not been released. */
  static final AtomicInteger OPEN = new AtomicInteger();

  private TestCoders() {
  }

  /** Changes a bit of what it decodes first. */
  public static final class Flipping extends RSRawErasureCoderFactory {
    @Override
    public String getCodecName() {
      return FLIPPING;
    }

    @Override
    public String getCoderName() {
      return FLIPPING;
    }

    @Override
    public RawErasureDecoder createDecoder(ErasureCoderOptions options) {
      return new RSRawDecoder(options) {
        private boolean flipped;

        @Override
        public synchronized void decode(ByteBuffer[] inputs, int[] erased, ByteBuffer[] outputs) throws IOException {
          super.decode(inputs, erased, outputs);
          if (!flipped) {
            flipped = true;
            int last = outputs[0].limit() - 1;
            outputs[0].put(last, (byte) (outputs[0].get(last) ^ 4));
          }
        }
      };
    }
  }

  /** Wants direct buffers, as native coders do, and counts itself. */
  public static final class Direct extends RSRawErasureCoderFactory {
    @Override
    public String getCodecName() {
      return DIRECT;
    }

    @Override
    public String getCoderName() {
      return DIRECT;
    }

    @Override
    public RawErasureDecoder createDecoder(ErasureCoderOptions options) {
      OPEN.incrementAndGet();
      return new RSRawDecoder(options) {
        @Override
        public boolean preferDirectBuffer() {
          return true;
        }

        @Override
        public synchronized void decode(ByteBuffer[] inputs, int[] erased, ByteBuffer[] outputs) throws IOException {
          for (ByteBuffer input : inputs) {
            if (input != null && !input.isDirect()) {
              throw new IOException("not direct");
            }
          }
          super.decode(inputs, erased, outputs);
        }

        @Override
        public void release() {
          OPEN.decrementAndGet();
        }
      };
    }
  }
}
