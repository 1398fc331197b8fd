/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode;

import io.dayu.protocol.DayuProtocolPB;
import io.dayu.protocol.DayuProtos.AgentCommandsProto;
import io.dayu.protocol.DayuProtos.ReportProto;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.thirdparty.protobuf.ServiceException;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

/**
 * The thread that reports to one NameNode for one block pool, as {@link ReportExchange} says. {@link #wake} and
 * {@link #stop} may be called by any thread.
 */
final class Reporter implements Runnable {
  /** A report fails if it has no answer within this time. */
  static final int RPC_TIMEOUT_MS = 20_000;

  private final ReportExchange exchange;
  private final DayuProtocolPB proxy;
  private final Thread thread;

  private boolean woken;

  Reporter(ReportExchange exchange, DayuProtocolPB proxy) {
    this.exchange = exchange;
    this.proxy = proxy;
    this.thread = new Thread(this, "dayu-reporter-" + exchange.nameNode());
    this.thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  /** Asks for a report soon: a transfer has ended. */
  synchronized void wake() {
    woken = true;
    notifyAll();
  }

  void stop() {
    exchange.stop();
    thread.interrupt();
    RPC.stopProxy(proxy);
  }

  @Override
  public void run() {
    while (!exchange.isStopped()) {
      long pauseMs;
      try {
        pauseMs = report();
      } catch (IOException | RuntimeException | Error e) {
        // Also an Error: if jars are replaced under a running DataNode, a class may be missing. What does not need the
        // class goes on.
        pauseMs = exchange.failed(e);
      }
      pause(pauseMs);
    }
  }

  /** Sends one report, obeys the answer, and says when to send the next. */
  private long report() throws IOException {
    ReportProto report = exchange.report();
    long sentNs = System.nanoTime();
    AgentCommandsProto commands;
    try {
      commands = proxy.report(null, report);
    } catch (ServiceException e) {
      throw e.getCause() instanceof IOException io ? io : new IOException(e);
    }
    return exchange.answered(commands, sentNs);
  }

  /**
   * Waits, for at least the minimum spacing of reports. Only while reports succeed may others end the wait, so that a
   * failing NameNode is not flooded.
   */
  private void pause(long millis) {
    try {
      Thread.sleep(Math.min(millis, exchange.minSpacingMs()));
      long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis - exchange.minSpacingMs());
      synchronized (this) {
        long leftMs = TimeUnit.NANOSECONDS.toMillis(endNs - System.nanoTime());
        while (leftMs > 0 && !exchange.isStopped() && !(woken && exchange.isReporting())) {
          wait(leftMs);
          leftMs = TimeUnit.NANOSECONDS.toMillis(endNs - System.nanoTime());
        }
        woken = false;
      }
    } catch (InterruptedException e) {
      // Only stop() interrupts.
    }
  }
}
