/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import io.dayu.conf.Setting;
import io.dayu.datanode.transfer.TransferControl.StopException;
import io.dayu.protocol.DayuProtos.GroupProto;
import io.dayu.protocol.DayuProtos.RunningTransferProto;
import io.dayu.protocol.DayuProtos.SourceProto;
import org.apache.hadoop.hdfs.protocol.ExtendedBlock;
import org.apache.hadoop.hdfs.server.datanode.DataNodeAccess;
import org.apache.hadoop.hdfs.util.Canceler;
import org.apache.hadoop.hdfs.util.DataTransferThrottler;
import org.apache.hadoop.util.DataChecksum;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntConsumer;
import java.util.stream.Collectors;

/**
 * A replica that is rebuilt from other internal blocks of its erasure-coded group: from as many as the group has real
 * data blocks, read at once, each on a thread of its own. The transfer's thread takes the same range from all of them,
 * decodes, computes checksums and appends. A source that fails is replaced alone; the others keep what they have.
 *
 * <p>Follows {@code StripedBlockReconstructor} in what is read and decoded. That class starts over after any failure,
 * and can neither hold a rate for each source nor say how it ended.
 */
final class RebuiltBlock implements ReplicaContent {
  private static final Logger LOG = LoggerFactory.getLogger(RebuiltBlock.class);

  private final DataNodeAccess node;
  private final TransferControl control;
  private final RebuildSpec spec;
  private final GroupProto group;
  private final IncomingReplica replica;
  private final RebuildMemory memory;
  private final List<Leg> legs = new ArrayList<>();
  private final LongAdder receivedBytes = new LongAdder();
  private final SourceWaits waits = new SourceWaits();
  private final Canceler stopped = new Canceler() {
    @Override
    public boolean isCancelled() {
      return control.isStopped();
    }
  };

  /** Of the replica to be made, from the first source that has been opened. Guarded by the monitor. */
  private DataChecksum checksum;
  /** Why a source's thread cannot go on, so that the transfer ends. */
  private volatile Exception failure;
  /** The sources' threads end. */
  private volatile boolean closing;
  /** null until the transfer runs. */
  private volatile RebuildInputs inputs;

  // The transfer's thread's own.
  private InternalBlockDecoder decoder;
  private boolean succeeded;
  private long waitingNs;
  private long writingNs;

  /**
   * @param threadName the transfer's; those of the sources' threads begin with it
   * @param onReceived called with the bytes of each packet, on the threads of the sources
   */
  RebuiltBlock(DataNodeAccess node, TransferControl control, NodeShaper shaper, RebuildSpec spec, GroupProto group,
      IncomingReplica replica, RebuildMemory memory, String threadName, IntConsumer onReceived) {
    this.node = node;
    this.control = control;
    this.spec = spec;
    this.group = group;
    this.replica = replica;
    this.memory = memory;
    int places = control.sources().size();
    for (int place = 0; place < places; place++) {
      legs.add(new Leg(place, places, shaper, threadName, bytes -> {
        receivedBytes.add(bytes);
        onReceived.accept(bytes);
      }));
    }
  }

  /** What a rebuild holds: rings, zeros, results, and what each connection receives into. */
  static long memoryBytes(RebuildSpec spec) {
    int packets = spec.realDataUnits() * (RebuildInputs.RING_PACKETS + 1) + 4;
    return (long) packets * RebuildInputs.PACKET_BYTES;
  }

  /** One of the sources that are read at once. */
  private final class Leg implements SourceReader.Sink, Runnable {
    private final int place;
    private final TransferControl.Source source;
    private final SourceReader reader;
    private final Thread thread;
    /** The node that is read, and where its internal block ends. The leg's thread's own. */
    private SourceProto from;
    private long fromBytes;
    /** Nothing more is needed, and the source is being told so. */
    private volatile boolean finishing;

    private Leg(int place, int places, NodeShaper shaper, String threadName, IntConsumer onReceived) {
      this.place = place;
      this.source = control.sources().get(place);
      this.reader = new SourceReader(node, control, source, shaper, places, onReceived, this);
      this.thread = new Thread(this, threadName + "-source-" + place);
      this.thread.setDaemon(true);
    }

    @Override
    public void run() {
      try {
        while (!closing) {
          reader.read();
          // A newer grant may name another source, which has to begin where the decoder is.
          inputs.awaitUntil(() -> closing || source.wanted() != from);
        }
      } catch (InterruptedException e) {
        // Only close() interrupts this thread.
      } catch (Exception e) {
        fail(e);
      } catch (Error e) {
        fail(new IOException(e));
      }
    }

    private void fail(Exception e) {
      if (!closing && failure == null) {
        failure = e;
      }
      inputs.wake();
    }

    /** Whether it does nothing more than telling its source that all went well. */
    private boolean onlyAnswers() {
      return succeeded && finishing;
    }

    private void endThread() {
      if (!onlyAnswers()) {
        source.breakOff();
        thread.interrupt();
      }
    }

    private void join() {
      boolean interrupted = false;
      while (thread.isAlive()) {
        try {
          thread.join();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }

    @Override
    public ExtendedBlock block(SourceProto of) {
      return spec.internalBlock(of.getIndex());
    }

    @Override
    public void begin(SourceProto next) throws InterruptedException {
      from = next;
      fromBytes = block(next).getNumBytes();
      inputs.restart(place, next.getIndex(), Math.min(fromBytes, replica.block().getNumBytes()));
    }

    @Override
    public long offset() {
      return inputs.filledBytes(place);
    }

    @Override
    public long restBytes() {
      return fromBytes - offset();
    }

    @Override
    public boolean isComplete() {
      return closing || (from != null && source.wanted() == from && inputs.isFull(place));
    }

    @Override
    public void opened(SourceStream stream) throws IOException {
      agree(stream.checksum());
    }

    @Override
    public void take(SourceStream stream) throws InterruptedException {
      DataTransferThrottler adminsOwn = ReplacingThrottler.adminsOwn(node.reconstructionReadThrottler());
      if (adminsOwn != null) {
        adminsOwn.throttle(stream.data().remaining(), source.throttleBreaker());
      }
      inputs.put(place, stream.data(), () -> closing || control.isStopped() || source.wanted() != from);
    }

    /** Tells a source that has sent all it has that all went well; breaks off one that would send more. */
    @Override
    public void completed(SourceStream stream) {
      try (stream) {
        finishing = true;
        if (!closing && fromBytes == offset()) {
          stream.finish();
        }
      } catch (IOException e) {
        LOG.debug("BLOCK* {} has been read, but its source did not end the read", block(from), e);
      } finally {
        finishing = false;
      }
    }
  }

  /** Takes the kind of checksums from the first source. Others may have another kind, unless it is none. */
  private synchronized void agree(DataChecksum of) throws IOException {
    if (checksum == null) {
      if (RebuildInputs.PACKET_BYTES % of.getBytesPerChecksum() != 0) {
        throw new TargetException("cannot rebuild " + spec + ", leave it to stock HDFS",
            new IOException("its checksums are of " + of.getBytesPerChecksum() + " bytes each"));
      }
      checksum = DataChecksum.newDataChecksum(of.getChecksumType(), of.getBytesPerChecksum());
    } else if ((checksum.getChecksumType() == DataChecksum.Type.NULL)
        != (of.getChecksumType() == DataChecksum.Type.NULL)) {
      throw new IOException("source has checksums of the type " + of.getChecksumType()
          + ", and another source of the group of the type " + checksum.getChecksumType());
    }
  }

  private synchronized DataChecksum checksum() {
    return checksum;
  }

  @Override
  public void receive() throws StopException, IOException {
    allocate();
    for (Leg leg : legs) {
      leg.thread.start();
    }
    while (!replica.isComplete()) {
      int bytes = (int) Math.min(RebuildInputs.PACKET_BYTES, replica.restBytes());
      ByteBuffer[] units = awaitInputs(bytes);
      if (units != null) {
        append(decode(units, bytes));
      }
    }
  }

  private void allocate() throws TargetException {
    try {
      decoder = new InternalBlockDecoder(node, spec);
      inputs = new RebuildInputs(spec, decoder.isDirect());
    } catch (OutOfMemoryError e) {
      throw new TargetException("cannot rebuild " + spec + ", raise the memory of the DataNode's JVM"
          + " (-Xmx, -XX:MaxDirectMemorySize) or lower " + Setting.REBUILD_MEMORY.key(), new IOException(e));
    }
  }

  private ByteBuffer[] awaitInputs(int bytes) throws StopException, IOException {
    control.checkStop();
    failIfSourcesFail();
    long beganNs = System.nanoTime();
    try {
      return inputs.await(bytes) ? inputs.take() : null;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return null;
    } finally {
      waitingNs += System.nanoTime() - beganNs;
    }
  }

  private void failIfSourcesFail() throws StopException, IOException {
    Exception why = failure;
    if (why instanceof StopException stop) {
      throw stop;
    } else if (why instanceof IOException e) {
      throw e;
    } else if (why != null) {
      throw new IOException("cannot rebuild " + spec + ": " + why, why);
    }
  }

  private ByteBuffer decode(ByteBuffer[] units, int bytes) throws TargetException {
    try {
      return decoder.decode(units, bytes);
    } finally {
      inputs.release();
    }
  }

  private void append(ByteBuffer data) throws IOException {
    long beganNs = System.nanoTime();
    int bytes = data.remaining();
    DataChecksum sums = checksum();
    replica.begin(sums);
    ByteBuffer checksums = ByteBuffer.allocate(sums.getChecksumSize(bytes));
    sums.calculateChunkedSums(data, checksums);
    replica.append(data, checksums);
    writingNs += System.nanoTime() - beganNs;
    DataTransferThrottler adminsOwn = ReplacingThrottler.adminsOwn(node.reconstructionWriteThrottler());
    if (adminsOwn != null) {
      adminsOwn.throttle(bytes, stopped);
    }
  }

  @Override
  public void finish() throws TargetException {
    replica.finish();
    succeeded = true;
  }

  @Override
  public void abort() {
    replica.abort();
  }

  /**
   * The one place where threads, memory and coder end, in this order. Only threads that tell their sources that all
   * went well end last: they use no memory, and a source ends a read only when its link has room.
   */
  @Override
  public void close() {
    closing = true;
    try {
      if (inputs != null) {
        inputs.wake();
        legs.forEach(Leg::endThread);
        legs.stream().filter(leg -> !leg.onlyAnswers()).forEach(Leg::join);
        inputs.free();
      }
      if (decoder != null) {
        node.countRebuild(succeeded, receivedBytes.sum(), succeeded ? replica.doneBytes() : 0, decoder.decodingNs());
        node.countRebuildTimes(TimeUnit.NANOSECONDS.toMillis(waitingNs),
            TimeUnit.NANOSECONDS.toMillis(decoder.decodingNs()), decoder.validatingMs(),
            TimeUnit.NANOSECONDS.toMillis(writingNs));
        decoder.close();
      }
    } finally {
      memory.release(memoryBytes(spec));
    }
    legs.forEach(Leg::join);
  }

  @Override
  public void granted() {
    RebuildInputs running = inputs;
    if (running != null) {
      running.wake();
    }
  }

  @Override
  public long doneBytes() {
    return replica.doneBytes();
  }

  @Override
  public long receivedBytes() {
    return receivedBytes.sum();
  }

  @Override
  public void measure(long nowNs) {
    RebuildInputs running = inputs;
    if (running != null && waits.isDue(nowNs)) {
      waits.measure(running.waitedNs(), legs.stream().map(leg -> leg.source.wanted()).toList(), nowNs);
    }
  }

  @Override
  public void describe(RunningTransferProto.Builder report) {
    report.setGroup(group);
    waits.describe(report);
  }

  @Override
  public String origin() {
    return control.sources().stream().map(TransferControl.Source::wanted)
        .map(source -> source.getHostName() + " (" + source.getIpAddress() + ", index " + source.getIndex() + ")")
        .collect(Collectors.joining(", "));
  }
}
