/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode;

import io.dayu.datanode.transfer.NodeShaper;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.Closeable;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

/**
 * Reads the meter and tells the {@link NodeShaper}: on a thread of its own, as often as the shaper asks for it, while
 * there is recovery traffic, and whenever another thread asks for a reading. Safe for use by all threads.
 */
final class MeterReader implements Closeable {
  /** After this time the last reading of a failing meter is too old. */
  private static final long METER_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(1);

  private static final Logger LOG = LoggerFactory.getLogger(MeterReader.class);

  private final BandwidthMeter meter;
  private final NodeShaper shaper;
  private final Thread thread = new Thread(this::run, "dayu-link-shaper");
  private boolean meterFails;
  private volatile long readNs = System.nanoTime();

  MeterReader(BandwidthMeter meter, NodeShaper shaper) {
    this.meter = meter;
    this.shaper = shaper;
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  private void run() {
    try {
      while (shaper.activity().await()) {
        tick();
        TimeUnit.MILLISECONDS.sleep(shaper.readingIntervalMs());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void tick() {
    try {
      read();
      meterFails = false;
    } catch (IOException e) {
      if (System.nanoTime() - readNs >= METER_TIMEOUT_NS) {
        shaper.meterFailed();
      }
      if (!meterFails) {
        meterFails = true;
        LOG.warn("Cannot read the meter {}; recovery on this node is limited to B_min until it can be read again",
            meter.describe(), e);
      }
    }
  }

  /**
   * Reads the meter and tells both shapers. Readings count in the order in which they were made.
   *
   * @throws IOException if the meter fails, in whatever way
   */
  BandwidthMeter.Counters read() throws IOException {
    synchronized (meter) {
      BandwidthMeter.Counters reading;
      try {
        reading = meter.read();
      } catch (RuntimeException | LinkageError e) {
        throw new IOException("the meter failed", e);
      }
      long nowNs = System.nanoTime();
      readNs = nowNs;
      shaper.metered(reading.inBytes(), reading.outBytes(), nowNs);
      return reading;
    }
  }

  @Override
  public void close() {
    shaper.activity().close();
    thread.interrupt();
  }
}
