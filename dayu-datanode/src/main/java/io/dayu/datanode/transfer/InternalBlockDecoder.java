/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.server.datanode.DataNodeAccess;
import org.apache.hadoop.io.erasurecode.CodecUtil;
import org.apache.hadoop.io.erasurecode.ErasureCoderOptions;
import org.apache.hadoop.io.erasurecode.rawcoder.DecodingValidator;
import org.apache.hadoop.io.erasurecode.rawcoder.InvalidDecodingException;
import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureDecoder;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * Decodes one internal block, a packet at a time, with the coder that Hadoop has for the codec: the native one where
 * there is one. Used by one thread. Holds native memory until it is closed.
 */
final class InternalBlockDecoder implements Closeable {
  private final DataNodeAccess node;
  private final RebuildSpec spec;
  private final RawErasureDecoder decoder;
  /** null unless {@code dfs.datanode.ec.reconstruction.validation} is set. */
  private final DecodingValidator validator;
  private final ByteBuffer output;
  /** The output, if that is not array-backed. */
  private final ByteBuffer data;
  private long decodingNs;
  private long validatingNs;

  /** @throws TargetException if there is no usable coder */
  InternalBlockDecoder(DataNodeAccess node, RebuildSpec spec) throws TargetException {
    this.node = node;
    this.spec = spec;
    try {
      decoder = CodecUtil.createRawDecoder(node.conf(), spec.codec(),
          new ErasureCoderOptions(spec.dataUnits(), spec.parityUnits()));
    } catch (RuntimeException e) {
      throw new TargetException("cannot rebuild " + spec + ", check io.erasurecode.codec." + spec.codec()
          + ".rawcoders on this DataNode", new IOException(e));
    }
    try {
      validator = node.conf().getBoolean(DFSConfigKeys.DFS_DN_EC_RECONSTRUCTION_VALIDATION_KEY,
          DFSConfigKeys.DFS_DN_EC_RECONSTRUCTION_VALIDATION_VALUE) ? new DecodingValidator(decoder) : null;
      output = RebuildInputs.allocate(RebuildInputs.PACKET_BYTES, isDirect());
      data = isDirect() ? RebuildInputs.allocate(RebuildInputs.PACKET_BYTES, false) : output;
    } catch (OutOfMemoryError e) {
      decoder.release();
      throw e;
    }
  }

  /** Whether the inputs should be direct buffers. */
  boolean isDirect() {
    return decoder.preferDirectBuffer();
  }

  /**
   * Decodes the next bytes.
   *
   * @param inputs as a raw decoder wants them; unchanged
   * @return array-backed; valid until the next call
   * @throws TargetException if the result is wrong, or the coder fails
   */
  ByteBuffer decode(ByteBuffer[] inputs, int bytes) throws TargetException {
    int[] lost = {spec.index()};
    ByteBuffer[] outputs = {output.clear().limit(bytes)};
    try {
      long beganNs = System.nanoTime();
      decoder.decode(duplicates(inputs), lost, outputs);
      output.position(0).limit(bytes);
      decodingNs += System.nanoTime() - beganNs;
      if (validator != null) {
        beganNs = System.nanoTime();
        validator.validate(duplicates(inputs), lost, outputs);
        validatingNs += System.nanoTime() - beganNs;
      }
    } catch (InvalidDecodingException e) {
      node.countInvalidRebuild();
      throw failure("this DataNode's coder gave a wrong result, so check its memory and native libraries", e);
    } catch (IOException e) {
      throw failure("this DataNode's coder failed", e);
    } catch (RuntimeException e) {
      throw failure("this DataNode's coder failed", new IOException(e));
    }
    return data == output ? output : data.clear().put(output.duplicate()).flip();
  }

  private TargetException failure(String what, IOException cause) {
    return new TargetException("cannot rebuild " + spec + ", " + what, cause);
  }

  /** Coders and validators leave their inputs at the end. */
  private static ByteBuffer[] duplicates(ByteBuffer[] buffers) {
    return Arrays.stream(buffers).map(buffer -> buffer == null ? null : buffer.duplicate())
        .toArray(ByteBuffer[]::new);
  }

  long decodingNs() {
    return decodingNs;
  }

  long validatingMs() {
    return TimeUnit.NANOSECONDS.toMillis(validatingNs);
  }

  @Override
  public void close() {
    decoder.release();
    RebuildInputs.free(output);
  }
}
