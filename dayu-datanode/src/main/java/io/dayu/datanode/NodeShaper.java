/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.datanode;

import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

/**
 * Shapes what recovery receives and sends on this node: a {@link LinkShaper} for each direction and the thread that keeps them informed. The thread
 * reads the meter every {@link #TICK_MS} while there is recovery traffic, and sleeps otherwise. Safe for use by all threads.
 */
final class NodeShaper implements Closeable {
  private static final long TICK_MS = 10;
  /** After this time without a packet the thread sleeps. */
  private static final long LINGER_NANOS = TimeUnit.SECONDS.toNanos(2);
  /** After this time the last reading of a failing meter is too old. */
  private static final long BLIND_NANOS = TimeUnit.SECONDS.toNanos(1);
  /**
   * A source may run ahead of us by what the link carries in this time, within these bounds. More would fill the queues
   * of switches.
   */
  private static final double RECEIVE_BUFFER_SEC = 0.01;
  private static final int MIN_RECEIVE_BUFFER_BYTES = 16 * 1024;
  private static final int MAX_RECEIVE_BUFFER_BYTES = 128 * 1024;

  private static final Logger LOG = LoggerFactory.getLogger(NodeShaper.class);

  private final BandwidthMeter meter;
  private final LinkShaper in;
  private final LinkShaper out;
  private final int receiveBufferBytes;
  private final Thread reader = new Thread(this::run, "dayu-link-shaper");
  private volatile long usedNanos;
  private volatile boolean asleep;
  private final long networkBytesPerSec;
  private double maxUtilization;
  private double minBytesPerSec;
  private boolean closed;
  private boolean meterFails;
  private volatile long readNanos = System.nanoTime();

  /**
   * @param networkBytesPerSec what the network carries in each direction
   */
  NodeShaper(Settings settings, BandwidthMeter meter, long networkBytesPerSec) {
    this.meter = meter;
    this.networkBytesPerSec = networkBytesPerSec;
    this.maxUtilization = settings.ratio(Setting.MAX_UTILIZATION);
    this.minBytesPerSec = settings.minBytesPerSec(networkBytesPerSec);
    this.in = shaper(settings, meter, networkBytesPerSec);
    this.out = shaper(settings, meter, networkBytesPerSec);
    this.receiveBufferBytes = (int) Math.max(MIN_RECEIVE_BUFFER_BYTES,
        Math.min(MAX_RECEIVE_BUFFER_BYTES, networkBytesPerSec * RECEIVE_BUFFER_SEC));
    this.usedNanos = System.nanoTime() - LINGER_NANOS;
    reader.setDaemon(true);
  }

  private static LinkShaper shaper(Settings settings, BandwidthMeter meter, long networkBytesPerSec) {
    return new LinkShaper(networkBytesPerSec, settings.ratio(Setting.MAX_UTILIZATION), settings.peakUtilization(),
        settings.minBytesPerSec(networkBytesPerSec), meter.countedPerBlockByte(), System.nanoTime());
  }

  /**
   * Shapes both directions by these limits from now on.
   *
   * @param nextMaxUtilization α
   * @param setMinBytesPerSec B_min as it is set; 0 = the default share of the network
   */
  synchronized void setLimits(double nextMaxUtilization, long setMinBytesPerSec) {
    double nextMinBytesPerSec = Settings.minBytesPerSec(setMinBytesPerSec, nextMaxUtilization, networkBytesPerSec);
    if (nextMaxUtilization == maxUtilization && nextMinBytesPerSec == minBytesPerSec) {
      return;
    }
    LOG.info("RECONFIGURE* {} changed from {} to {}, {} from {} to {} bytes/s on this DataNode", Setting.MAX_UTILIZATION.key(), maxUtilization,
        nextMaxUtilization, Setting.MIN_BANDWIDTH.key(), Math.round(minBytesPerSec), Math.round(nextMinBytesPerSec));
    maxUtilization = nextMaxUtilization;
    minBytesPerSec = nextMinBytesPerSec;
    double peakUtilization = Settings.peakUtilization(nextMaxUtilization);
    in.setLimits(nextMaxUtilization, peakUtilization, nextMinBytesPerSec, System.nanoTime());
    out.setLimits(nextMaxUtilization, peakUtilization, nextMinBytesPerSec, System.nanoTime());
  }

  /** The B_min of this node, in bytes a second, for a value of the setting, before α bounds it. */
  double minBytesPerSec(long setBytesPerSec) {
    return Settings.minBytesPerSec(setBytesPerSec, 1, networkBytesPerSec);
  }

  void start() {
    reader.start();
  }

  /** The size of the socket buffer into which a transfer receives. */
  int receiveBufferBytes() {
    return receiveBufferBytes;
  }

  LinkShaper in() {
    return in;
  }

  LinkShaper out() {
    return out;
  }

  /** Makes the thread read the meter often for a while: a packet of recovery has come or is about to. */
  void use() {
    usedNanos = System.nanoTime();
    if (asleep) {
      synchronized (this) {
        notifyAll();
      }
    }
  }

  private void run() {
    try {
      while (awaitUse()) {
        tick();
        TimeUnit.MILLISECONDS.sleep(TICK_MS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private synchronized boolean awaitUse() throws InterruptedException {
    // This is written before the last use is read. use() does both in the reverse order, so one of the two threads sees
    // the other.
    asleep = true;
    while (!closed && System.nanoTime() - usedNanos >= LINGER_NANOS) {
      wait();
    }
    asleep = false;
    return !closed;
  }

  private void tick() {
    try {
      readMeter();
      meterFails = false;
    } catch (IOException | RuntimeException e) {
      if (System.nanoTime() - readNanos >= BLIND_NANOS) {
        in.setBlind(true);
        out.setBlind(true);
      }
      if (!meterFails) {
        meterFails = true;
        LOG.warn("Cannot read the meter {}; recovery on this node is limited to B_min until it can be read again",
            meter.describe(), e);
      }
    }
  }

  /** Reads the meter and tells both shapers. Readings count in the order in which they were made. */
  BandwidthMeter.Counters readMeter() throws IOException {
    synchronized (meter) {
      BandwidthMeter.Counters reading = meter.read();
      long nowNanos = System.nanoTime();
      readNanos = nowNanos;
      in.metered(reading.inBytes(), nowNanos);
      out.metered(reading.outBytes(), nowNanos);
      in.setBlind(false);
      out.setBlind(false);
      return reading;
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
    notifyAll();
    reader.interrupt();
  }
}
