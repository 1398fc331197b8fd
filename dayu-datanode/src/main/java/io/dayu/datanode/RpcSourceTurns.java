/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.datanode;

import io.dayu.datanode.SourceStandings.Address;
import io.dayu.protocol.DayuProtos.AskProto;
import io.dayu.protocol.DayuProtos.EndedProto;
import io.dayu.protocol.DayuProtos.SourceProto;
import io.dayu.protocol.DayuProtos.TurnProto;
import io.dayu.protocol.DayuTurnsPB;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeys;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.io.retry.RetryPolicies;
import org.apache.hadoop.ipc.ProtobufRpcEngine2;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.net.NetUtils;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.thirdparty.protobuf.ServiceException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.Closeable;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Asks the agents of sources for turns over their DataNodes' RPC servers: the client side of {@link DayuTurnsPB}. Safe for use by all threads.
 * In which order sources are asked for a turn, and for how long they are waited for, is {@link Asking}'s.
 *
 * <p>The calls are made on threads of its own, since an interrupt, by which HDFS stops a transfer, would break a connection that all share; and
 * nobody has to wait until a source has heard that a turn ended.
 */
final class RpcSourceTurns implements SourceTurns, Closeable {
  /** A few times what a source may make an asker wait. */
  static final int RPC_TIMEOUT_MS = 1_500;
  static final int MAX_CALLS = 32;
  static final int MAX_CALLS_WAITING = 1024;
  private static final long IDLE_THREAD_SEC = 30;
  /** How long a source may take to find a turn. A refusal costs two messages and moves nothing. */
  static final int PATIENCE_MS = 250;
  /** A source that is free has answered by then. */
  private static final long ALONE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
  private static final double MOST_BEHIND_MS = 1e9;
  private static final double MS_PER_SEC = 1e3;

  private static final Logger LOG = LoggerFactory.getLogger(RpcSourceTurns.class);

  private final Supplier<String> datanodeUuid;
  private final long incarnation;
  private final boolean byHostName;
  private final long aloneNanos;
  private final SourceStandings standings;
  /** How many questions of ours each has not answered yet, or not received. */
  private final Map<Address, Integer> asked = new ConcurrentHashMap<>();
  private final ThreadPoolExecutor calls = new ThreadPoolExecutor(MAX_CALLS, MAX_CALLS, IDLE_THREAD_SEC, TimeUnit.SECONDS,
      new ArrayBlockingQueue<>(MAX_CALLS_WAITING), task -> {
        Thread thread = new Thread(task, "dayu-turns-caller");
        thread.setDaemon(true);
        return thread;
      });

  /**
   * @param datanodeUuid of this node, known when the first turn is asked for
   * @param byHostName whether sources are connected to by their names rather than by their addresses
   */
  RpcSourceTurns(Supplier<String> datanodeUuid, long incarnation, boolean byHostName, SourceStandings.Connector connector) {
    this(datanodeUuid, incarnation, byHostName, connector, ALONE_NANOS);
  }

  /** @param aloneNanos after which a second source is asked as well */
  RpcSourceTurns(Supplier<String> datanodeUuid, long incarnation, boolean byHostName, SourceStandings.Connector connector, long aloneNanos) {
    this.datanodeUuid = datanodeUuid;
    this.incarnation = incarnation;
    this.byHostName = byHostName;
    this.aloneNanos = aloneNanos;
    this.standings = new SourceStandings(connector);
    calls.allowCoreThreadTimeOut(true);
  }

  /** Connects as the DataNode does to other DataNodes, but fails soon rather than retry by itself. */
  static SourceStandings.Connector connector(Configuration base) {
    Configuration conf = new Configuration(base);
    conf.setInt(CommonConfigurationKeysPublic.IPC_CLIENT_CONNECT_MAX_RETRIES_KEY, 0);
    conf.setInt(CommonConfigurationKeysPublic.IPC_CLIENT_CONNECT_MAX_RETRIES_ON_SOCKET_TIMEOUTS_KEY, 0);
    conf.setInt(CommonConfigurationKeys.IPC_CLIENT_CONNECT_TIMEOUT_KEY, RPC_TIMEOUT_MS);
    RPC.setProtocolEngine(conf, DayuTurnsPB.class, ProtobufRpcEngine2.class);
    return address -> RPC.getProtocolProxy(DayuTurnsPB.class, DayuTurnsPB.VERSION,
        NetUtils.createSocketAddrForHost(address.host(), address.port()), UserGroupInformation.getLoginUser(), conf,
        NetUtils.getSocketFactory(conf, DayuTurnsPB.class), RPC_TIMEOUT_MS, RetryPolicies.TRY_ONCE_THEN_FAIL).getProxy();
  }

  @Override
  public Reply ask(List<SourceProto> sources, long turn, LinkTurns.Need need, double behindSec, long bytes) throws InterruptedException {
    return new Asking(this, sources, AskProto.newBuilder().setTurn(turn(turn)).setNeed(AskProto.Need.valueOf(need.name()))
        .setBehindMs(behindMs(behindSec)).setBytes(bytes).setPatienceMs(PATIENCE_MS).build(), aloneNanos).reply();
  }

  @Override
  public boolean hasAgent(SourceProto source) {
    return source.hasIpcPort() && standings.hasAgent(address(source));
  }

  /** Whether there is an agent that may be asked now. */
  boolean mayAsk(SourceProto source) {
    return source.hasIpcPort() && standings.mayAsk(address(source), System.nanoTime());
  }

  /** Whether a question to it is under way, or waits for a thread. */
  boolean isAsked(SourceProto source) {
    return asked.containsKey(address(source));
  }

  /** Has a thread put a question to a source; false if there is none and no room to wait for one. */
  boolean onOtherThread(SourceProto source, Runnable question) {
    Address address = address(source);
    asked.merge(address, 1, Integer::sum);
    try {
      calls.execute(() -> {
        try {
          question.run();
        } finally {
          notAsked(address);
        }
      });
      return true;
    } catch (RejectedExecutionException | OutOfMemoryError e) {
      // The latter is how Java says that the system gives no more threads.
      LOG.debug("Too many calls under way, or stopped", e);
      notAsked(address);
      return false;
    }
  }

  private void notAsked(Address address) {
    asked.computeIfPresent(address, (same, count) -> count == 1 ? null : count - 1);
  }

  /** Puts a question to a source and waits for its answer. */
  Answer call(SourceProto source, AskProto ask) {
    Address address = address(source);
    try {
      boolean granted = standings.proxy(address).ask(null, ask).getGranted();
      standings.answered(address);
      return granted ? Answer.YES : Answer.NO;
    } catch (ServiceException | IOException e) {
      standings.failed(address, cause(e), System.nanoTime());
    } catch (RuntimeException e) {
      standings.failed(address, new IOException(e), System.nanoTime());
    }
    return Answer.NOBODY;
  }

  /** It has been called and has not answered in time: it is not asked again soon. */
  void silent(SourceProto source) {
    standings.failed(address(source), new SocketTimeoutException("no answer within " + RPC_TIMEOUT_MS + " ms"), System.nanoTime());
  }

  @Override
  public void ended(SourceProto source, long turn, long bytes) {
    tell(source, EndedProto.newBuilder().setTurn(turn(turn)).setBytes(bytes).build());
  }

  @Override
  public void endsSoon(SourceProto source, long turn, long bytes) {
    tell(source, EndedProto.newBuilder().setTurn(turn(turn)).setBytes(bytes).setSoon(true).build());
  }

  private void tell(SourceProto source, EndedProto ended) {
    Address address = address(source);
    long turn = ended.getTurn().getNumber();
    try {
      calls.execute(() -> {
        try {
          standings.proxy(address).ended(null, ended);
        } catch (ServiceException | IOException e) {
          standings.failed(address, cause(e), System.nanoTime());
        } catch (RuntimeException e) {
          LOG.debug("{} has not heard of the end of turn {} and will forget it", address, turn, e);
        }
      });
    } catch (RejectedExecutionException | OutOfMemoryError e) {
      LOG.debug("{} will not hear of the end of turn {} and will forget it", address, turn, e);
    }
  }

  private static IOException cause(Exception e) {
    if (e instanceof IOException io) {
      return io;
    }
    return e.getCause() instanceof IOException io ? io : new IOException(e);
  }

  private Address address(SourceProto source) {
    return new Address(byHostName ? source.getHostName() : source.getIpAddress(), source.getIpcPort());
  }

  private TurnProto turn(long number) {
    return TurnProto.newBuilder().setAskerUuid(datanodeUuid.get()).setAskerIncarnation(incarnation).setNumber(number).build();
  }

  private static long behindMs(double behindSec) {
    return (long) Math.max(-MOST_BEHIND_MS, Math.min(MOST_BEHIND_MS, behindSec * MS_PER_SEC));
  }

  /** Calls under way come to their ends: where several agents share a process, they share connections too, which an interrupt would break. */
  @Override
  public void close() {
    calls.shutdown();
    standings.close();
  }
}
