/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import io.dayu.datanode.TestNumber;
import io.dayu.protocol.DayuProtos.SourceProto;
import org.apache.hadoop.hdfs.net.Peer;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.protocol.datatransfer.DataTransferProtoUtil;
import org.apache.hadoop.hdfs.protocol.datatransfer.PacketHeader;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.BlockOpResponseProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.ReadOpChecksumInfoProto;
import org.apache.hadoop.hdfs.protocol.proto.DataTransferProtos.Status;
import org.apache.hadoop.hdfs.server.datanode.DataNodeAccess;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.util.DataChecksum;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;
import static org.mockito.Mockito.withSettings;

/** What a damaged or lying source sends: the read fails with an IOException, or what was taken is the block. */
class SourceFuzzTest {
  private static final long SEED = TestNumber.seed("fuzz.seed", 20261125);
  private static final int STREAMS = 5_000;
  private static final int CHUNK_BYTES = 512;
  private static final int PACKET_BYTES = 4 * CHUNK_BYTES;
  private static final int BYTES = 3 * PACKET_BYTES + 77;
  private static final SourceProto SOURCE = SourceProto.newBuilder().setDatanodeUuid("dn").setIpAddress("127.0.0.1")
      .setHostName("localhost").setTransferPort(9866).build();

  static {
    SourceFuzzTest.class.getClassLoader().setPackageAssertionStatus("org.apache.hadoop", false);
  }

  private final Random random = new Random(SEED);
  private final byte[] content = new byte[BYTES];
  private final DataNodeAccess node = mock(DataNodeAccess.class, withSettings().stubOnly());
  private ByteArrayInputStream sentBytes;

  @BeforeEach
  void connect() throws IOException {
    Socket socket = mock(Socket.class, withSettings().stubOnly());
    when(socket.getLocalPort()).thenReturn(1);
    Peer peer = mock(Peer.class, withSettings().stubOnly());
    when(peer.getInputStream()).thenAnswer(call -> sentBytes);
    when(peer.getOutputStream()).thenAnswer(call -> new ByteArrayOutputStream());
    when(node.newSocket()).thenReturn(socket);
    when(node.readToken(any())).thenReturn(new Token<>());
    when(node.handshake(any(), any(), any(), any(), anyInt())).thenReturn(peer);
  }

  @Test
  void undamaged_isTheBlock() throws Exception {
    random.nextBytes(content);
    assertArrayEquals(content, pull(stream()));
  }

  @Test
  void answerWithoutChecksums_isAFailureOfTheSource() throws Exception {
    ByteArrayOutputStream sent = new ByteArrayOutputStream();
    BlockOpResponseProto.newBuilder().setStatus(Status.SUCCESS).build().writeDelimitedTo(sent);
    byte[] all = sent.toByteArray();
    IOException failure = assertThrows(IOException.class, () -> pull(all));
    assertTrue(failure.getMessage().contains("checksum"), failure::toString);
  }

  @Test
  void damaged_failsOrIsTheBlock() throws Exception {
    System.out.println("fuzz.seed " + SEED);
    random.nextBytes(content);
    byte[] good = stream();
    int complete = 0;
    for (int i = 0; i < STREAMS; i++) {
      byte[] received = new byte[0];
      try {
        received = pull(damaged(good));
      } catch (IOException refused) {
        // As it should be.
      } catch (AssertionError e) {
        // HDFS's own, of negative lengths, where its classes were loaded before ours; a DataNode runs without.
        assertTrue(e.getStackTrace()[0].getClassName().startsWith("org.apache.hadoop."), e::toString);
      }
      complete += received.length == BYTES ? 1 : 0;
    }
    // Damage to bytes that no code reads.
    assertTrue(complete < STREAMS / 4, complete + " of " + STREAMS);
  }

  private byte[] damaged(byte[] good) {
    byte[] bytes = good.clone();
    for (int i = 1 + random.nextInt(3); i > 0; i--) {
      int at = random.nextInt(random.nextBoolean() ? 64 : bytes.length);
      if (random.nextInt(4) == 0 && at + Integer.BYTES <= bytes.length) {
        ByteBuffer.wrap(bytes).putInt(at,
            new int[] {0, -1, 1, 4, Integer.MAX_VALUE, Integer.MIN_VALUE, 1 << 24}[random.nextInt(7)]);
      } else {
        bytes[at] = (byte) random.nextInt(256);
      }
    }
    return random.nextInt(4) == 0 ? Arrays.copyOf(bytes, random.nextInt(bytes.length)) : bytes;
  }

  /** What a DataNode sends that is asked for the whole block. */
  private byte[] stream() throws IOException {
    DataChecksum checksum = DataChecksum.newDataChecksum(DataChecksum.Type.CRC32C, CHUNK_BYTES);
    ByteArrayOutputStream sent = new ByteArrayOutputStream();
    BlockOpResponseProto.newBuilder().setStatus(Status.SUCCESS)
        .setReadOpChecksumInfo(ReadOpChecksumInfoProto.newBuilder().setChunkOffset(0)
            .setChecksum(DataTransferProtoUtil.toProto(checksum)))
        .build().writeDelimitedTo(sent);
    DataOutputStream out = new DataOutputStream(sent);
    long sequence = 0;
    for (int from = 0; from < BYTES; from += PACKET_BYTES) {
      int bytes = Math.min(PACKET_BYTES, BYTES - from);
      byte[] sums = new byte[checksum.getChecksumSize(bytes)];
      checksum.calculateChunkedSums(content, from, bytes, sums, 0);
      new PacketHeader(Integer.BYTES + sums.length + bytes, from, sequence++, false, bytes, false).write(out);
      out.write(sums);
      out.write(content, from, bytes);
    }
    new PacketHeader(Integer.BYTES, BYTES, sequence, true, 0, false).write(out);
    return sent.toByteArray();
  }

  /** Reads the block as a transfer does; throws an AssertionError if anything but its content was taken for good. */
  private byte[] pull(byte[] sent) throws IOException {
    sentBytes = new ByteArrayInputStream(sent);
    ByteArrayOutputStream taken = new ByteArrayOutputStream();
    try (SourceStream stream = new SourceStream(node, SOURCE, new ExtendedBlock("BP-1", 1, BYTES, 1),
        new ReceiveBuffer(1 << 20), 1, null, false)) {
      stream.open(0);
      while (taken.size() < BYTES) {
        stream.receive();
        ByteBuffer data = stream.data();
        byte[] bytes = new byte[data.remaining()];
        data.get(bytes);
        int from = taken.size();
        taken.write(bytes);
        if (stream.checksum().getChecksumType() != DataChecksum.Type.NULL) {
          assertArrayEquals(Arrays.copyOfRange(content, from, from + bytes.length), bytes, "at " + from);
        }
        stream.failIfCorrupt();
      }
      stream.finish();
    }
    return taken.toByteArray();
  }
}
