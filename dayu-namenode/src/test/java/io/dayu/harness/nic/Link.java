/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness.nic;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * One direction of a NIC, and the count of what has passed. All flows that have bytes on it share it equally at every
 * moment, as TCP connections do over times that are long against a packet (processor sharing). It idles only when no
 * flow has bytes to send, and gains no credit while it idles. Safe for use by all threads.
 */
final class Link {
  private static final double NS_PER_SEC = 1e9;
  /** What arithmetic may leave of a flow that is through. */
  private static final double NO_BYTES = 1e-3;

  /** What one flow has on the link and is not through yet. */
  final class Backlog {
    private final Traffic traffic;
    // Guarded by the link's monitor.
    private double bytes;

    private Backlog(Traffic traffic) {
      this.traffic = traffic;
    }

    /** Puts more on the link. */
    void add(int moreBytes) {
      synchronized (Link.this) {
        carry(clock.getAsLong());
        putBytes[traffic.ordinal()] += moreBytes;
        if (limited) {
          if (bytes == 0) {
            backlogs.add(this);
          }
          bytes += moreBytes;
        }
      }
    }

    /** Time until all of it is through, if nothing is added to the link meanwhile; 0 if it is through. */
    long remainingNs() {
      synchronized (Link.this) {
        carry(clock.getAsLong());
        // Until then each other flow has carried as much, or all that it has.
        double allBytes = backlogs.stream().mapToDouble(other -> Math.min(other.bytes, bytes)).sum();
        return (long) Math.ceil(allBytes / bytesPerSec * NS_PER_SEC);
      }
    }
  }

  private final LongSupplier clock;
  // Guarded by the monitor.
  private final long[] putBytes = new long[Traffic.values().length];
  /** Of the flows that have bytes on the link. */
  private final List<Backlog> backlogs = new ArrayList<>();
  private long bytesPerSec;
  private boolean limited = true;
  private long lastNs;

  Link(long bytesPerSec) {
    this(bytesPerSec, System::nanoTime);
  }

  /** With another clock than {@link System#nanoTime}. */
  Link(long bytesPerSec, LongSupplier clock) {
    this.bytesPerSec = bytesPerSec;
    this.clock = clock;
    this.lastNs = clock.getAsLong();
  }

  /** Another rate, from now on. What is on a link that is no longer limited is through at once. */
  synchronized void set(long newBytesPerSec, boolean nowLimited) {
    carry(clock.getAsLong());
    bytesPerSec = newBytesPerSec;
    limited = nowLimited;
    if (!limited) {
      backlogs.forEach(backlog -> backlog.bytes = 0);
      backlogs.clear();
    }
  }

  /** A place for the bytes of a new flow. */
  Backlog newBacklog(Traffic traffic) {
    return new Backlog(traffic);
  }

  /** All bytes that are through by now, to the byte: as a host's own counters, it knows nothing of flows. */
  synchronized long carriedBytes(Traffic traffic) {
    carry(clock.getAsLong());
    double left =
        backlogs.stream().filter(backlog -> backlog.traffic == traffic).mapToDouble(backlog -> backlog.bytes).sum();
    return putBytes[traffic.ordinal()] - (long) Math.ceil(left - NO_BYTES);
  }

  private void carry(long nowNs) {
    double capacityBytes = bytesPerSec * (Math.max(0, nowNs - lastNs) / NS_PER_SEC);
    lastNs = nowNs;
    while (!backlogs.isEmpty() && capacityBytes > 0) {
      int flows = backlogs.size();
      double minBytes = backlogs.stream().mapToDouble(backlog -> backlog.bytes).min().getAsDouble();
      // Until the first of them is through, or all the time.
      boolean allTheTime = capacityBytes <= minBytes * flows;
      double eachBytes = allTheTime ? capacityBytes / flows : minBytes;
      for (Iterator<Backlog> each = backlogs.iterator(); each.hasNext();) {
        Backlog backlog = each.next();
        backlog.bytes -= eachBytes;
        if (backlog.bytes < NO_BYTES) {
          backlog.bytes = 0;
          each.remove();
        }
      }
      capacityBytes -= allTheTime ? capacityBytes : minBytes * flows;
    }
  }
}
