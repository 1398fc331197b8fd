/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode;

import io.dayu.datanode.transfer.TransferRegistry;
import io.dayu.protocol.DayuProtos.AgentCommandsProto;
import io.dayu.protocol.DayuProtos.BlockSpecProto;
import io.dayu.protocol.DayuProtos.LoadProto;
import io.dayu.protocol.DayuProtos.ReportProto;
import io.dayu.protocol.DayuProtos.ReportProto.Marking;
import io.dayu.protocol.DayuProtos.VerifiedReplicaProto;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * What an agent says to its NameNodes and obeys, by the production classes, for tests in another package and under
 * their clock. Not thread-safe.
 */
public final class AgentExchanges {
  /** The replicas of the agent's DataNode, by their block pools. */
  public interface Replicas {
    /** Checks these, which targets could not read, and reports those that are corrupt. */
    void check(String pool, List<BlockSpecProto> suspects);

    /** Reads these as a whole; the results of others of the pool are forgotten. */
    void verify(String pool, List<BlockSpecProto> named);

    /** Results of {@link #verify}. */
    List<VerifiedReplicaProto> verified(String pool);
  }

  /** With one NameNode. */
  public static final class Exchange {
    private final ReportExchange exchange;

    private Exchange(ReportExchange exchange) {
      this.exchange = exchange;
    }

    /** The next report. */
    public ReportProto report() {
      return exchange.report();
    }

    /** Obeys an answer, and returns after how many milliseconds to report again. */
    public long answered(AgentCommandsProto commands, long sentNs) throws IOException {
      return exchange.answered(commands, sentNs);
    }

    /** There is no answer; returns after how many milliseconds to report again. */
    public long failed(IOException e) {
      return exchange.failed(e);
    }

    public long minSpacingMs() {
      return exchange.minSpacingMs();
    }

    public boolean isReporting() {
      return exchange.isReporting();
    }

    public void stop() {
      exchange.stop();
    }
  }

  private final ReportExchange.Context agent;
  private final int rpcTimeoutMs;
  private final LongSupplier clock;
  private final Map<String, AgentCommandsOrder> orders = new HashMap<>();

  /**
   * @param rebuilds whether the agent can rebuild internal blocks of groups
   * @param serving the block pools of which other DataNodes read blocks here now
   * @param obeying called when commands are obeyed, with their block pool
   */
  public AgentExchanges(String datanodeUuid, long incarnation, long startMs, Supplier<LoadProto> load,
      boolean rebuilds, TransferRegistry transfers, Replicas replicas, Supplier<Set<String>> serving,
      Consumer<String> obeying, int rpcTimeoutMs, LongSupplier clock) {
    ActivePools pools = new ActivePools();
    this.rpcTimeoutMs = rpcTimeoutMs;
    this.clock = clock;
    this.agent = new ReportExchange.Context() {
      @Override
      public String datanodeUuid() {
        return datanodeUuid;
      }

      @Override
      public long incarnation() {
        return incarnation;
      }

      @Override
      public long startMs() {
        return startMs;
      }

      @Override
      public boolean isBandwidthAssumed() {
        return false;
      }

      @Override
      public Optional<Marking> marking() {
        return Optional.empty();
      }

      @Override
      public Optional<LoadProto> load() {
        return Optional.of(load.get());
      }

      @Override
      public boolean rebuilds() {
        return rebuilds;
      }

      @Override
      public List<String> furtherCodecs() {
        return List.of();
      }

      @Override
      public TransferRegistry granted() {
        return transfers;
      }

      @Override
      public ActivePools.Shares shares(String pool) {
        return pools.shares(pool, transfers.activePools(), serving.get(), clock.getAsLong());
      }

      @Override
      public void checkReplicas(String pool, List<BlockSpecProto> suspects) {
        replicas.check(pool, suspects);
      }

      @Override
      public void verifyReplicas(String pool, List<BlockSpecProto> named) {
        replicas.verify(pool, named);
      }

      @Override
      public List<VerifiedReplicaProto> verified(String pool) {
        return replicas.verified(pool);
      }

      @Override
      public void limits(String pool, OptionalDouble alpha, OptionalLong minBytesPerSec,
          Optional<String> volumeMaxStreams, int meterSharers, boolean unmarked) {
        obeying.accept(pool);
      }
    };
  }

  /** @param isActive whether the DataNode considers this NameNode the active one now */
  public Exchange with(String blockPoolId, String nameNode, BooleanSupplier isActive) {
    AgentCommandsOrder order = orders.computeIfAbsent(blockPoolId, pool -> new AgentCommandsOrder());
    return new Exchange(
        new ReportExchange(agent, blockPoolId, nameNode, "1.0", isActive, order, rpcTimeoutMs, clock));
  }
}
