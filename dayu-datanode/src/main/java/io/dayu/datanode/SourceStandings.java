/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.datanode;

import io.dayu.protocol.DayuTurnsPB;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.ipc.RemoteException;
import org.apache.hadoop.ipc.RpcNoSuchProtocolException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.Closeable;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Which sources can be asked for turns, as far as they have been tried, and the connections to them: of those that were asked last. One that
 * could not be asked is left alone for a time. Safe for use by all threads.
 */
final class SourceStandings implements Closeable {
  static final int MAX_SOURCES = 1024;
  /** A source without our protocol may get it by a restart. */
  static final long UNKNOWN_THERE_NANOS = TimeUnit.MINUTES.toNanos(1);
  static final long UNREACHABLE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private static final Logger LOG = LoggerFactory.getLogger(SourceStandings.class);

  /** Where a source's agent is. */
  record Address(String host, int port) {
    @Override
    public String toString() {
      return host + ":" + port;
    }
  }

  /** Makes a proxy. */
  interface Connector {
    DayuTurnsPB connect(Address address) throws IOException;
  }

  private enum Standing { UNTRIED, ANSWERS, UNKNOWN_THERE, UNREACHABLE }

  private static final class Source {
    private DayuTurnsPB proxy;
    private Standing standing = Standing.UNTRIED;
    private long retryNanos;

    private void disconnect() {
      if (proxy != null) {
        RPC.stopProxy(proxy);
        proxy = null;
      }
    }
  }

  private final Connector connector;
  private final Map<Address, Source> sources = new LinkedHashMap<>(16, 0.75f, true) {
    @Override
    protected boolean removeEldestEntry(Map.Entry<Address, Source> eldest) {
      if (size() <= MAX_SOURCES) {
        return false;
      }
      eldest.getValue().disconnect();
      return true;
    }
  };
  private boolean closed;

  SourceStandings(Connector connector) {
    this.connector = connector;
  }

  /** Whether it has not failed to answer, the last time that it was asked. */
  synchronized boolean hasAgent(Address address) {
    Source source = sources.get(address);
    return source == null || source.standing == Standing.UNTRIED || source.standing == Standing.ANSWERS;
  }

  /** Whether to ask this source now. One that could not be asked is tried by a single asker when its time is over. */
  synchronized boolean mayAsk(Address address, long nowNanos) {
    Source source = sources.computeIfAbsent(address, each -> new Source());
    if (hasAgent(address)) {
      return true;
    }
    if (nowNanos - source.retryNanos < 0) {
      return false;
    }
    source.retryNanos = nowNanos + UNREACHABLE_NANOS;
    return true;
  }

  /**
   * The proxy to call. Nothing is connected yet.
   *
   * @throws IOException if there can be none
   */
  DayuTurnsPB proxy(Address address) throws IOException {
    DayuTurnsPB known = keep(address, null);
    // Not under the monitor: names may take long to be resolved.
    return known != null ? known : keep(address, connector.connect(address));
  }

  /** The proxy that is there, else {@code made}. */
  private synchronized DayuTurnsPB keep(Address address, DayuTurnsPB made) throws IOException {
    Source source = sources.computeIfAbsent(address, each -> new Source());
    if (made != null && (closed || source.proxy != null)) {
      RPC.stopProxy(made);
    }
    if (closed) {
      throw new IOException("the agent is stopping");
    }
    if (source.proxy == null) {
      source.proxy = made;
    }
    return source.proxy;
  }

  synchronized void answered(Address address) {
    Source source = sources.computeIfAbsent(address, each -> new Source());
    if (source.standing == Standing.UNKNOWN_THERE || source.standing == Standing.UNREACHABLE) {
      LOG.info("DataNode {} can be asked for turns", address);
    }
    source.standing = Standing.ANSWERS;
  }

  /** Leaves the source alone for a time; logged when it is a new kind of failure. */
  synchronized void failed(Address address, IOException e, long nowNanos) {
    boolean unknown = e instanceof RemoteException remote
        && (remote.getClassName().equals(RPC.VersionMismatch.class.getName())
            || remote.getClassName().equals(RpcNoSuchProtocolException.class.getName()));
    Source source = sources.computeIfAbsent(address, each -> new Source());
    Standing now = unknown ? Standing.UNKNOWN_THERE : Standing.UNREACHABLE;
    boolean changed = source.standing != now;
    source.standing = now;
    source.retryNanos = nowNanos + (unknown ? UNKNOWN_THERE_NANOS : UNREACHABLE_NANOS);
    if (closed || !changed) {
      LOG.debug("DataNode {} still cannot be asked for turns", address, e);
    } else if (unknown) {
      LOG.info("DataNode {} has no agent to ask for turns; Dayu reads from it by what it sees itself", address);
    } else {
      LOG.warn("Dayu cannot ask DataNode {} for turns: {}; it reads from it by what it sees itself, and tries again", address, e.toString());
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
    sources.values().forEach(Source::disconnect);
    sources.clear();
  }
}
