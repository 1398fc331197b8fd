/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.datanode;

import io.dayu.protocol.DayuProtos.AnswerProto;
import io.dayu.protocol.DayuProtos.AskProto;
import io.dayu.protocol.DayuProtos.EndedProto;
import io.dayu.protocol.DayuProtos.EndedResponseProto;
import io.dayu.protocol.DayuProtos.TurnProto;
import io.dayu.protocol.DayuTurnsPB;
import org.apache.hadoop.ipc.DeferredResponse;
import org.apache.hadoop.ipc.Server;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.thirdparty.protobuf.RpcController;
import org.apache.hadoop.thirdparty.protobuf.ServiceException;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Where targets ask for turns on what this node sends: the server side of {@link DayuTurnsPB}. Safe for use by all threads; called by RPC handlers,
 * which never wait here: whoever wishes for a turn is answered when {@link LinkTurns} has decided.
 */
final class TurnsDesk implements DayuTurnsPB, Closeable {
  static final long MOST_PATIENCE_MS = 500;
  /** Turns that are waited for or under way; over this nobody gets any. */
  private static final int MAX_OPEN = 4096;
  /** A turn waits for no longer than the patience, and {@link LinkTurns} forgets it five seconds after its begin. */
  private static final long FORGOTTEN_NANOS = TimeUnit.SECONDS.toNanos(6);
  private static final long MOST_BYTES = 1L << 40;
  /** The packet with a turn's last byte is taken whole. */
  static final long MOST_BEYOND_BYTES = 1 << 20;
  private static final double MS_PER_SEC = 1e3;

  private record Open(Wish wish, long sinceNanos) {
  }

  private final LinkTurns out;
  private final Runnable wake;
  /** The oldest first. */
  private final Map<TurnProto, Open> open = new LinkedHashMap<>();
  private boolean closed;

  /**
   * @param wake called when there is somebody who waits
   */
  TurnsDesk(LinkTurns out, Runnable wake) {
    this.out = out;
    this.wake = wake;
  }

  @Override
  public AnswerProto ask(RpcController controller, AskProto ask) throws ServiceException {
    CompletableFuture<Boolean> answer;
    try {
      checkCaller();
      answer = wish(ask);
    } catch (IOException e) {
      throw new ServiceException(e);
    }
    if (answer.isDone()) {
      return answer(answer.join());
    }
    DeferredResponse deferred = DeferredResponse.ofThisCall();
    answer.thenAccept(granted -> deferred.give(answer(granted)));
    return AnswerProto.getDefaultInstance();
  }

  @Override
  public EndedResponseProto ended(RpcController controller, EndedProto ended) throws ServiceException {
    try {
      checkCaller();
      end(ended);
    } catch (IOException e) {
      throw new ServiceException(e);
    }
    return EndedResponseProto.getDefaultInstance();
  }

  private static AnswerProto answer(boolean granted) {
    return AnswerProto.newBuilder().setGranted(granted).build();
  }

  /**
   * Wishes for a turn.
   *
   * @return whether it is granted, decided within the patience
   * @throws IOException if the wish makes no sense, or this desk is closed
   */
  CompletableFuture<Boolean> wish(AskProto ask) throws IOException {
    if (!ask.hasNeed()) {
      throw new IOException("turn refused: its need is missing or not known here");
    }
    checkBytes(ask.getBytes());
    long nowNanos = System.nanoTime();
    Wish wish = Wish.atSource(need(ask.getNeed()), ask.getBehindMs() / MS_PER_SEC, ask.getBytes(),
        nowNanos + TimeUnit.MILLISECONDS.toNanos(patienceMs(ask)));
    synchronized (this) {
      if (closed) {
        throw new IOException("turn refused: the agent is stopping");
      }
      forgetOld(nowNanos);
      if (open.size() >= MAX_OPEN) {
        return CompletableFuture.completedFuture(false);
      }
      if (open.putIfAbsent(ask.getTurn(), new Open(wish, nowNanos)) != null) {
        throw new IOException("turn refused: number " + ask.getTurn().getNumber() + " of " + ask.getTurn().getAskerUuid()
            + " has been asked for before");
      }
    }
    CompletableFuture<Boolean> answer = wish.answer.thenApply(granted -> {
      if (!granted) {
        forget(ask.getTurn());
      }
      return granted;
    });
    out.wish(wish);
    wake.run();
    return answer;
  }

  /** Ends a turn, whether it is under way, still waited for or not known any more. */
  void end(EndedProto ended) throws IOException {
    checkBytes(ended.getBytes());
    Open turn = forget(ended.getTurn());
    if (turn != null) {
      out.withdraw(turn.wish());
      // What is claimed here is taken off what the meter counts: nobody shall hide foreground by it.
      long bytes = Math.min(ended.getBytes(), turn.wish().bytes + MOST_BEYOND_BYTES);
      if (ended.getSoon()) {
        out.endSoon(turn.wish(), bytes);
      } else {
        out.end(turn.wish(), bytes);
      }
    }
  }

  private synchronized Open forget(TurnProto turn) {
    return open.remove(turn);
  }

  private void forgetOld(long nowNanos) {
    Iterator<Open> oldest = open.values().iterator();
    while (oldest.hasNext() && nowNanos - oldest.next().sinceNanos() >= FORGOTTEN_NANOS) {
      oldest.remove();
    }
  }

  private static LinkTurns.Need need(AskProto.Need need) {
    return switch (need) {
      case OVERDUE -> LinkTurns.Need.OVERDUE;
      case DUE -> LinkTurns.Need.DUE;
      case AHEAD -> LinkTurns.Need.AHEAD;
    };
  }

  /** Unsigned in the message, so that a negative one is one of more than 2^31. */
  private static long patienceMs(AskProto ask) {
    return Math.min(MOST_PATIENCE_MS, Integer.toUnsignedLong(ask.getPatienceMs()));
  }

  private static void checkBytes(long bytes) throws IOException {
    if (bytes < 0 || bytes > MOST_BYTES) {
      throw new IOException("turn refused: bytes = " + bytes + ", expected 0 to " + MOST_BYTES);
    }
  }

  /** Lets in, under Kerberos, DataNodes only: who has this DataNode's service and realm. The service ACL applies too, where authorization is on. */
  private static void checkCaller() throws IOException {
    if (UserGroupInformation.isSecurityEnabled()) {
      String user = Server.getRemoteUser().getUserName();
      if (!withoutHost(user).equals(withoutHost(UserGroupInformation.getLoginUser().getUserName()))) {
        throw new AccessControlException(user + " is not the principal of a DataNode");
      }
    }
  }

  private static String withoutHost(String principal) {
    return principal.replaceFirst("/[^@]*", "");
  }

  /** Refuses all who wait, and whoever comes. */
  @Override
  public void close() {
    List<Open> last;
    synchronized (this) {
      closed = true;
      last = new ArrayList<>(open.values());
    }
    last.forEach(turn -> out.withdraw(turn.wish()));
  }
}
