/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.admin;

import com.fasterxml.jackson.databind.JsonNode;
import io.dayu.admin.AdminClient;
import io.dayu.admin.AdminException;
import io.dayu.admin.Command;
import io.dayu.admin.ExitCode;
import io.dayu.namenode.loop.AdminControl;
import io.dayu.namenode.loop.AdminControl.Mode;
import io.dayu.namenode.loop.AdminControl.ModeChange;
import io.dayu.namenode.loop.PauseRequest;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.DFSUtil;
import org.apache.hadoop.hdfs.DFSUtilClient;
import org.apache.hadoop.net.NetUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Asks the other NameNodes of the nameservice, when this one starts, for the last command of an admin and for changed
 * settings: a NameNode loses both when it restarts. No timeslot is planned before each of them has answered or failed,
 * or {@link #MAX_WAIT_MS} have passed. Runs once, on a thread of its own, and asks each NameNode on a further one.
 */
public final class PeerControlSync implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(PeerControlSync.class);

  /** After this time a NameNode that takes the call and does not answer is given up. */
  private static final int RPC_TIMEOUT_MS = 5_000;
  /**
   * Limit for all NameNodes together. Each may take the time of a connection and of an answer, and its host name may
   * have several addresses.
   */
  private static final long MAX_WAIT_MS = 15_000;
  /** How long a NameNode that starts may serve RPCs before Dayu takes commands there. */
  private static final long START_MS = 5_000;
  private static final long RETRY_MS = 500;

  /** Another NameNode, which takes this one for a superuser. */
  public interface Peer {
    String name();

    /** Where its web page is; null if the configuration does not say. */
    default String page() {
      return null;
    }

    JsonNode call(Command command, String argument) throws AdminException;
  }

  private final AdminControl adminControl;
  private final PeerSettingsSync settings;
  private final List<Peer> peers;
  private final long maxWaitMs;
  private final long startMs;

  public PeerControlSync(AdminControl adminControl, PeerSettingsSync settings, List<Peer> peers) {
    this(adminControl, settings, peers, MAX_WAIT_MS, START_MS);
  }

  /**
   * @param maxWaitMs limit for all peers together
   * @param startMs for how long a peer that does not run Dayu is asked again
   */
  PeerControlSync(AdminControl adminControl, PeerSettingsSync settings, List<Peer> peers, long maxWaitMs,
      long startMs) {
    this.adminControl = adminControl;
    this.settings = settings;
    this.peers = peers;
    this.maxWaitMs = maxWaitMs;
    this.startMs = startMs;
  }

  /** The other NameNodes of this nameservice; none without high availability. */
  public static List<Peer> peers(Configuration conf, String nameserviceId, InetSocketAddress self) {
    Map<String, InetSocketAddress> all =
        nameserviceId == null ? null : DFSUtilClient.getHaNnRpcAddresses(conf).get(nameserviceId);
    List<Peer> peers = new ArrayList<>();
    if (all != null) {
      AdminClient client = new AdminClient(conf, RPC_TIMEOUT_MS);
      for (InetSocketAddress address : all.values()) {
        if (!NetUtils.getHostPortString(address).equals(NetUtils.getHostPortString(self))) {
          peers.add(peer(client, address, page(conf, address)));
        }
      }
    }
    return peers;
  }

  private static String page(Configuration conf, InetSocketAddress rpcAddress) {
    try {
      return DFSUtil.getInfoServer(rpcAddress, conf, DFSUtil.getHttpClientScheme(conf)).resolve("/dayu/").toString();
    } catch (IOException | RuntimeException e) {
      LOG.debug("Dayu: the web address of NameNode {} is not known", rpcAddress, e);
      return null;
    }
  }

  private static Peer peer(AdminClient client, InetSocketAddress address, String page) {
    return new Peer() {
      @Override
      public String page() {
        return page;
      }

      @Override
      public String name() {
        return NetUtils.getHostPortString(address);
      }

      @Override
      public JsonNode call(Command command, String argument) throws AdminException {
        return client.call(address, command, argument);
      }
    };
  }

  @Override
  public void run() {
    ExecutorService executor = null;
    try {
      executor = Executors.newFixedThreadPool(peers.size(), task -> {
        Thread thread = new Thread(task, "Dayu peer sync");
        thread.setDaemon(true);
        return thread;
      });
      List<Callable<JsonNode>> requests = new ArrayList<>();
      peers.forEach(peer -> requests.add(() -> status(peer)));
      takeOver(executor.invokeAll(requests, maxWaitMs, TimeUnit.MILLISECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      adminControl.peersAnswered();
      if (executor != null) {
        executor.shutdownNow();
      }
    }
  }

  /** A starting NameNode briefly answers as if it had no Dayu, so it is asked again. */
  private JsonNode status(Peer peer) throws AdminException, InterruptedException {
    long beganNs = System.nanoTime();
    while (true) {
      try {
        return peer.call(Command.STATUS, "");
      } catch (AdminException e) {
        if (e.code() != ExitCode.NOT_ACTIVE
            || System.nanoTime() - beganNs >= TimeUnit.MILLISECONDS.toNanos(startMs)) {
          throw e;
        }
      }
      TimeUnit.MILLISECONDS.sleep(RETRY_MS);
    }
  }

  /** @param requests one for each peer, in their order; each is done or cancelled */
  private void takeOver(List<Future<JsonNode>> requests) throws InterruptedException {
    Map<String, JsonNode> statuses = new LinkedHashMap<>();
    Map<String, Exception> failures = new LinkedHashMap<>();
    for (int i = 0; i < requests.size(); i++) {
      String peer = peers.get(i).name();
      try {
        JsonNode status = requests.get(i).get();
        takeOver(peer, status.path("control"));
        statuses.put(peer, status);
        if (knowsNothing(status.path("control"))) {
          failures.put(peer, new AdminException(ExitCode.REFUSED, peer + " has just started, too"));
        }
      } catch (ExecutionException e) {
        failures.put(peer, e.getCause() instanceof Exception cause ? cause : e);
      } catch (CancellationException e) {
        failures.put(peer, new AdminException(ExitCode.UNREACHABLE, peer + ": no answer within " + maxWaitMs + " ms"));
      } catch (RuntimeException e) {
        failures.put(peer, e);
      }
    }
    settings.answered(statuses);
    failures.forEach(this::failed);
    statuses.forEach((peer, status) -> compareStartupModes(peer, status.path("control")));
  }

  private void takeOver(String peer, JsonNode modeChange) {
    Mode mode = Mode.of(modeChange.path("mode").asText());
    long sinceMs = modeChange.path("sinceMs").asLong();
    if (sinceMs > adminControl.modeChange().sinceMs()) {
      LOG.info("Dayu: an admin's last command was given to NameNode {}; it applies here too", peer);
      // A NameNode of a version whose pauses had no end says none.
      long untilMs = modeChange.path("untilMs").asLong(sinceMs + PauseRequest.MAX_MS);
      adminControl.setIfLater(new ModeChange(mode, modeChange.path("by").asText(), modeChange.path("note").asText(),
          sinceMs, mode == Mode.PAUSED ? untilMs : 0, modeChange.path("all").asBoolean(true) && mode == Mode.PAUSED));
    }
  }

  /** Whether the peer has just started, too, and asks other NameNodes: then a command may be forgotten. */
  private static boolean knowsNothing(JsonNode modeChange) {
    return modeChange.path("askingPeers").asBoolean() && modeChange.path("sinceMs").asLong() == 0;
  }

  private void failed(String peer, Exception failure) {
    if (failure instanceof AdminException refused && refused.code() == ExitCode.NOT_ACTIVE) {
      LOG.info("Dayu: NameNode {} does not run Dayu, so no admin can have paused recovery there", peer);
      return;
    }
    ModeChange here = adminControl.modeChange();
    if (here.sinceMs() == 0) {
      LOG.warn("Dayu: cannot ask another NameNode for an admin's last command; the mode here is {}: {}",
          here.mode().word(), failure.getMessage());
    }
  }

  /** Without a command of an admin each NameNode has the mode of its own file, so a failover would change the mode. */
  private void compareStartupModes(String peer, JsonNode modeThere) {
    ModeChange here = adminControl.modeChange();
    String mode = modeThere.path("mode").asText();
    if (here.sinceMs() == 0 && modeThere.path("sinceMs").asLong() == 0 && !mode.equals(here.mode().word())) {
      LOG.warn("Dayu: NameNode {} has started in mode {}, this one in mode {}; write the same "
          + "dayu.namenode.startup.mode into hdfs-site.xml of all NameNodes", peer, mode, here.mode().word());
    }
  }
}
