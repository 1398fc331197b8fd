/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.datanode;

import io.dayu.protocol.DayuProtos.SourceProto;

import java.io.Closeable;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * When the transfers of a node may take bytes, and how many at a time, within what the throttler allows each. Safe for use by all threads; a
 * {@link Visit} is of one thread.
 */
interface Turns extends Closeable {
  /** Every transfer as it likes: the throttler alone decides. */
  Turns FREE = new Turns() {
    record FreeVisit(SourceProto source) implements Visit {
      @Override
      public long turnBytes(long rateBytesPerSec, long restBytes) {
        return 1;
      }

      @Override
      public boolean asksForEachTurn() {
        return false;
      }

      @Override
      public SourceProto await(List<SourceProto> alternates) {
        return source;
      }

      @Override
      public boolean isCountedBySource() {
        return false;
      }

      @Override
      public void received(int bytes) {
      }

      @Override
      public void ended(long bytes) {
      }

      @Override
      public long bandwidthBytesPerSec(long rateBytesPerSec) {
        return rateBytesPerSec;
      }

      @Override
      public void close() {
      }
    }

    @Override
    public Pace newPace() {
      return new Pace(0);
    }

    @Override
    public Visit visit(SourceProto source, Pace pace, BooleanSupplier givesUp) {
      return new FreeVisit(source);
    }

    @Override
    public void close() {
    }
  };

  /** A transfer's dealings with its sources, as long as the plan names the same one. */
  interface Visit extends Closeable {
    /**
     * How much to take in the next turn, at least 1; the packet with the last of these bytes is taken whole.
     *
     * @param restBytes what the block still lacks
     */
    long turnBytes(long rateBytesPerSec, long restBytes);

    /** Whether the source is to be asked for each turn by itself, so that it sends nothing between turns. */
    boolean asksForEachTurn();

    /**
     * Waits for a turn, to be followed by {@link #ended}.
     *
     * @param alternates others that have the block: the turn may be theirs where each turn is asked for
     * @return whom to take it from, or null if the transfer gives it up
     */
    SourceProto await(List<SourceProto> alternates) throws InterruptedException;

    /** Whether the source counts by itself what the present turn, or the last one, brings. */
    boolean isCountedBySource();

    /**
     * To be called for each packet of the present turn.
     *
     * @param bytes what has come with it
     */
    void received(int bytes);

    /** @param bytes what the turn has brought */
    void ended(long bytes);

    /** What the throttler is to hold the transfer to, at the moment. */
    long bandwidthBytesPerSec(long rateBytesPerSec);

    @Override
    void close();
  }

  /** The account of a new transfer. */
  Pace newPace();

  /**
   * @param pace of the transfer that visits
   * @param givesUp asked while waiting for a turn
   */
  Visit visit(SourceProto source, Pace pace, BooleanSupplier givesUp);

  @Override
  void close();
}
