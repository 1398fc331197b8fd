/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A model of a rotating disk for {@link VolumeBenchmark}: one request after the other, in the order in which they come.
 * Each takes the time of its bytes, and one that does not begin where the last one ended also the time to position. It
 * is a file system (FUSE) with the one file {@code disk}; a loop device over it is the disk, with counters as any. To
 * be run as root on Linux:
 *
 * <pre>
 * mvn test-compile -pl dayu-datanode && mkdir -p /mnt/model /mnt/slow && exec 3<>/dev/fuse
 * mount -i -t fuse -o fd=3,rootmode=40000,user_id=0,group_id=0,allow_other,max_read=1048576 model /mnt/model
 * java -cp dayu-datanode/target/test-classes io.dayu.datanode.transfer.SlowDisk /tmp/data 10240 100 6 <&3 >&3 &
 * exec 3>&- && chrt -a -f -p 20 $!
 * loop=$(losetup -f --show --direct-io=on /mnt/model/disk)
 * mkfs.ext4 -q -E lazy_itable_init=0,lazy_journal_init=0 $loop && mount -o noatime $loop /mnt/slow
 * echo 1 > /sys/block/${loop#/dev/}/queue/rotational && echo 128 > /sys/block/${loop#/dev/}/queue/read_ahead_kb
 * </pre>
 */
final class SlowDisk {
  private static final int MAX_IO_BYTES = 1 << 20;
  /** Of a request and of a reply; linux/fuse.h has all numbers. */
  private static final int IN_HEADER_BYTES = 40;
  private static final int OUT_HEADER_BYTES = 16;
  private static final int WRITE_HEADER_BYTES = 40;
  private static final int ERROR_NO_ENTRY = -2;
  private static final int ERROR_NOT_IMPLEMENTED = -38;
  private static final int DIRECT_IO = 1;
  /** Asynchronous reads, large writes, asynchronous direct I/O, and as many pages as a request may have. */
  private static final int FLAGS = 1 | 1 << 5 | 1 << 15 | 1 << 22;
  private static final long DISK_NODE = 2;
  private static final long FOR_EVER_SEC = 3_600;
  /** A thread wakes up later than it should, so the time of the next request begins when this one was due. */
  private static final long LATE_NS = TimeUnit.MILLISECONDS.toNanos(1);

  private final FileChannel requests = new FileInputStream(FileDescriptor.in).getChannel();
  private final FileChannel replies = new FileOutputStream(FileDescriptor.out).getChannel();
  private final FileChannel data;
  private final long size;
  private final double nsPerByte;
  private final long positionNs;
  private final ByteBuffer request = buffer();
  private final ByteBuffer reply = buffer();
  private long headAt;
  private long freeNs = System.nanoTime();

  private SlowDisk(FileChannel data, long size, double mbPerSec, double positionMs) {
    this.data = data;
    this.size = size;
    this.nsPerByte = 1e3 / mbPerSec;
    this.positionNs = (long) (positionMs * 1e6);
  }

  private static ByteBuffer buffer() {
    return ByteBuffer.allocateDirect(MAX_IO_BYTES + (64 << 10)).order(ByteOrder.nativeOrder());
  }

  /** @param args the file that holds the data, its size in MiB, MB/s, milliseconds to position */
  public static void main(String[] args) throws IOException {
    try (FileChannel data = FileChannel.open(Path.of(args[0]), StandardOpenOption.CREATE, StandardOpenOption.READ,
        StandardOpenOption.WRITE)) {
      long size = Long.parseLong(args[1]) << 20;
      data.write(ByteBuffer.allocate(1), size - 1);
      new SlowDisk(data, size, Double.parseDouble(args[2]), Double.parseDouble(args[3])).serve();
    }
  }

  /** @throws IOException when the file system is unmounted, or fails */
  private void serve() throws IOException {
    while (requests.read(request.clear()) > 0) {
      request.flip();
      int operation = request.getInt(4);
      // FORGET, INTERRUPT, DESTROY and BATCH_FORGET have no reply.
      if (operation != 2 && operation != 36 && operation != 38 && operation != 42) {
        reply.clear().position(OUT_HEADER_BYTES);
        int error = answer(operation, request.getLong(16));
        if (error != 0) {
          reply.position(OUT_HEADER_BYTES);
        }
        reply.flip();
        reply.putInt(0, reply.limit()).putInt(4, error).putLong(8, request.getLong(8));
        replies.write(reply);
      }
    }
  }

  private int answer(int operation, long node) throws IOException {
    switch (operation) {
      case 26 -> init();
      case 1 -> {
        return lookUp();
      }
      case 3, 4 -> {
        reply.putLong(FOR_EVER_SEC).putLong(0);
        putAttributes(node);
      }
      case 14, 27 -> reply.putLong(0).putInt(node == DISK_NODE ? DIRECT_IO : 0).putInt(0);
      case 15 -> read(request.getLong(IN_HEADER_BYTES + 8), request.getInt(IN_HEADER_BYTES + 16));
      case 16 -> write(request.getLong(IN_HEADER_BYTES + 8));
      case 18, 20, 25, 29 -> {
        // RELEASE, FSYNC, FLUSH and RELEASEDIR: nothing is left to be done.
      }
      default -> {
        return ERROR_NOT_IMPLEMENTED;
      }
    }
    return 0;
  }

  private void init() {
    reply.putInt(7).putInt(31).putInt(0).putInt(request.getInt(IN_HEADER_BYTES + 12) & FLAGS);
    reply.putShort((short) 256).putShort((short) 200).putInt(MAX_IO_BYTES).putInt(1);
    reply.putShort((short) 256).putShort((short) 0).put(new byte[32]);
  }

  private int lookUp() {
    byte[] name = new byte[request.limit() - IN_HEADER_BYTES - 1];
    request.get(IN_HEADER_BYTES, name);
    if (!new String(name, StandardCharsets.UTF_8).equals("disk")) {
      return ERROR_NO_ENTRY;
    }
    reply.putLong(DISK_NODE).putLong(0).putLong(FOR_EVER_SEC).putLong(FOR_EVER_SEC).putLong(0);
    putAttributes(DISK_NODE);
    return 0;
  }

  private void putAttributes(long node) {
    boolean isDisk = node == DISK_NODE;
    reply.putLong(node).putLong(isDisk ? size : 0).putLong(isDisk ? size / 512 : 0).put(new byte[36]);
    reply.putInt(isDisk ? 0100644 : 0040755).putInt(1).put(new byte[12]).putInt(4096).putInt(0);
  }

  private void read(long offset, int wanted) throws IOException {
    int bytes = (int) Math.max(0, Math.min(wanted, size - offset));
    reply.limit(OUT_HEADER_BYTES + bytes);
    while (reply.hasRemaining() && data.read(reply, offset + reply.position() - OUT_HEADER_BYTES) > 0) {
      // The rest.
    }
    pass(offset, bytes);
  }

  private void write(long offset) throws IOException {
    request.position(IN_HEADER_BYTES + WRITE_HEADER_BYTES);
    int bytes = request.remaining();
    for (long at = offset; request.hasRemaining();) {
      at += data.write(request, at);
    }
    reply.putInt(bytes).putInt(0);
    pass(offset, bytes);
  }

  /** Waits for as long as the disk takes. */
  private void pass(long offset, int bytes) {
    long nowNs = System.nanoTime();
    long beganNs = nowNs - freeNs < LATE_NS ? freeNs : nowNs;
    freeNs = beganNs + (offset == headAt ? 0 : positionNs) + (long) (bytes * nsPerByte);
    headAt = offset + bytes;
    for (long waitNs = freeNs - nowNs; waitNs > 0; waitNs = freeNs - System.nanoTime()) {
      LockSupport.parkNanos(waitNs);
    }
  }
}
