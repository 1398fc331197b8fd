/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.admin;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.dayu.blocks.BlockKey;
import io.dayu.blocks.BlockManagement;
import io.dayu.blocks.GroupFixture;
import io.dayu.blocks.GroupTransfer;
import io.dayu.blocks.IndexedNode;
import io.dayu.blocks.LiveNode;
import io.dayu.blocks.LiveNodeFixture;
import io.dayu.blocks.TransferRequest;
import io.dayu.blocks.WaitReason;
import io.dayu.conf.Settings;
import io.dayu.namenode.admin.AdminViews.Link;
import io.dayu.namenode.admin.AdminViews.LinkTransfers;
import io.dayu.namenode.admin.AdminViews.Made;
import io.dayu.namenode.admin.AdminViews.Path;
import io.dayu.namenode.admin.BlockExplanation.Candidate;
import io.dayu.namenode.agents.AgentRegistry;
import io.dayu.namenode.cluster.LiveCluster;
import io.dayu.namenode.exchange.NodeLoad;
import io.dayu.namenode.loop.RecoveryController;
import io.dayu.namenode.transfers.AgentState;
import io.dayu.namenode.transfers.Attempt;
import io.dayu.namenode.transfers.AttemptFixture;
import io.dayu.namenode.transfers.AvoidedNodes;
import io.dayu.protocol.DayuProtocolPB;
import io.dayu.protocol.DayuProtos.ReportProto;
import io.dayu.protocol.DayuProtos.ReportProto.Marking;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

/** Records become JSON by their components: these are the fields of {@code docs/json.md}, in their order. */
class AdminViewsTest {
  private static final Made MADE = new Made("blk_1_2", "", 0);
  private static final Path PATH = new Path(List.of("a:1", "b:1"), "c:1", 3);

  private final Attempt rebuild = AttemptFixture.rebuilding(1,
      new TransferRequest(new BlockKey(GroupFixture.GROUP_ID, 1), GroupFixture.BYTES, 1, "n0", "t", 1,
          new GroupTransfer(GroupFixture.RS_3_2, GroupFixture.GROUP_BYTES, 3,
              List.of(new IndexedNode("n0", 0), new IndexedNode("n1", 1), new IndexedNode("n2", 2)))),
      0);
  private final Attempt copy =
      AttemptFixture.running(2, new TransferRequest(new BlockKey(1, 1), 100, 1, "n0", "t", 1));

  private static void assertJson(String expected, Object view) throws Exception {
    assertEquals(expected.replace('\'', '"'), new ObjectMapper().writeValueAsString(view));
  }

  @Test
  void agents_areJson() throws Exception {
    assertJson("{'live':1,'dataNodes':4,'missing':['a:1'],'refused':{'a:1':'b'},'declined':{'c:1':'d'},"
        + "'versions':{'1.0':1},'otherVersion':{'e:1':'0.9'},'bandwidthAssumed':['e:1'],"
        + "'trafficClass':{'agents':3,'cannotMark':['f:1'],'starved':['g:1']}}",
        new AdminViews.Agents(1, 4, List.of("a:1"), Map.of("a:1", "b"), Map.of("c:1", "d"), Map.of("1.0", 1),
            Map.of("e:1", "0.9"), List.of("e:1"), new AdminViews.TrafficClass(3, List.of("f:1"), List.of("g:1"))));
  }

  @Test
  void nodeWithAnAgent_isJson() throws Exception {
    Link in = new Link(1, 2, 3, new LinkTransfers(4, 5, 6));
    String link = "{'bandwidthBytesPerSec':1,'foregroundBytesPerSec':2,'recoveryLimitBytesPerSec':3,'transfers':4,"
        + "'grantedBytesPerSec':5,'achievedBytesPerSec':6}";
    assertJson("{'node':'a:1','rack':'/r','agent':'reporting','version':'1.0','lastReportSeconds':7,'in':" + link
        + ",'out':" + link
        + ",'bandwidthAssumed':true,'volumesSlower':false,'rebuilding':true,'limitedByDisks':false,"
        + "'volumes':8,'networkSharers':9,'rebuilds':true,"
        + "'trafficClass':'starved','target':true,'noTargetReason':'','lastSourceReason':'b'}",
        new AdminViews.Node("a:1", "/r", "reporting", new AdminViews.Report("1.0", 7),
            new AdminViews.Load(in, in, true, false, true, false, 8, 9, true, "starved"), true, "", "b"));
  }

  private static void report(AgentRegistry<AgentState> agents, String uuid, Marking marking) {
    ReportProto.Builder report = ReportProto.newBuilder().setProtocolVersion(DayuProtocolPB.REVISION)
        .setBlockPoolId("bp").setDatanodeUuid(uuid).setAgentIncarnation(1).setReportSequence(1);
    if (marking != null) {
      report.setMarking(marking);
    }
    agents.register(uuid, 0).offer(report.build(), 0);
  }

  @Test
  void agentsThatCannotMarkTheirTraffic_areNamed_amongThoseThatAreTo() throws Exception {
    AgentRegistry<AgentState> agents = new AgentRegistry<>(AgentState::new);
    report(agents, "a", null);
    report(agents, "b", Marking.MARKS);
    report(agents, "c", Marking.CANNOT_MARK);
    report(agents, "d", Marking.STARVED);
    Map<String, LiveNode> nodes = new HashMap<>();
    for (String uuid : List.of("a", "b", "c", "d", "silent")) {
      nodes.put(uuid, LiveNodeFixture.liveNode(uuid, "10.0.0.1", uuid, 9866, "/r", true, new long[6], new int[6]));
    }
    LiveCluster cluster = mock(LiveCluster.class);
    when(cluster.nodes()).thenReturn(nodes);
    when(cluster.isLive(any(), anyLong())).thenReturn(true);
    RecoveryController controller = mock(RecoveryController.class);
    when(controller.cluster()).thenReturn(cluster);
    AdminViews.Agents view =
        new AdminViews(controller, mock(BlockManagement.class), agents, Settings.read(new Configuration(false)), "1.0")
            .agents(0);
    assertEquals(new AdminViews.TrafficClass(3, List.of("c:9866"), List.of("d:9866")), view.trafficClass());
    assertEquals(4, view.live());
  }

  /** A node whose volumes write 20 bytes/s and whose network carries 100. */
  @Test
  void nodeThatRebuilds_isShownWithItsNetwork() throws Exception {
    assertEquals(100, load(rebuild).in().bandwidthBytesPerSec());
    assertTrue(load(rebuild).volumesSlower(), "what it sends");
    assertTrue(load(rebuild).rebuilding());
    assertEquals(20, load(copy).in().bandwidthBytesPerSec());
    assertTrue(load(copy).volumesSlower());
    assertFalse(load(copy).rebuilding());
  }

  /** Clients leave 15 bytes/s of the volumes, and 75 of the network. */
  @Test
  void nodeWhoseDisksAreTheLimit_isShownSo_unlessItRebuilds() throws Exception {
    assertFalse(load(copy, 0).limitedByDisks());
    assertFalse(load(copy, 15).limitedByDisks(), "no less than clients leave");
    assertTrue(load(copy, 14).limitedByDisks());
    assertEquals(14, load(copy, 14).in().recoveryLimitBytesPerSec());
    assertFalse(load(rebuild, 14).limitedByDisks());
    assertEquals(75, load(rebuild, 14).in().recoveryLimitBytesPerSec());
  }

  private static AdminViews.Load load(Attempt attempt) throws Exception {
    return load(attempt, 0);
  }

  private static AdminViews.Load load(Attempt attempt, long disksBytesPerSec) throws Exception {
    LiveCluster cluster = mock(LiveCluster.class);
    LiveNode node = LiveNodeFixture.liveNode("t", "10.0.0.1", "t", 9866, "/r", true, new long[6], new int[6]);
    NodeLoad load = new NodeLoad(new NodeLoad.Link(20, 0), new NodeLoad.Link(100, 0), 1, 8).withNetworkIn(100)
        .withDisks(disksBytesPerSec);
    when(cluster.nodes()).thenReturn(Map.of("t", node));
    when(cluster.loads(0)).thenReturn(Map.of("t", load));
    when(cluster.avoided()).thenReturn(mock(AvoidedNodes.class));
    RecoveryController controller = mock(RecoveryController.class);
    when(controller.cluster()).thenReturn(cluster);
    when(controller.transfers()).thenReturn(List.of(attempt));
    AgentRegistry<AgentState> agents = new AgentRegistry<>(AgentState::new);
    agents.register("t", 0).load = load;
    return new AdminViews(controller, mock(BlockManagement.class), agents, Settings.read(new Configuration(false)),
        "1.0").nodes(0).get(0).load();
  }

  @Test
  void nodeWithoutAnAgent_hasNoFieldsOfOne() throws Exception {
    assertJson("{'node':'a:1','rack':'/r','agent':'none','target':false,'noTargetReason':'b','lastSourceReason':''}",
        new AdminViews.Node("a:1", "/r", "none", null, null, false, "b", ""));
  }

  @Test
  void transfers_areJson() throws Exception {
    assertJson("{'block':'blk_1_2','group':'','risk':0,'phase':'running','source':'a:1','sources':['a:1','b:1'],"
        + "'target':'c:1','bytes':3,'doneBytes':4,'grantedBytesPerSec':5,'achievedBytesPerSec':6,'seconds':7,"
        + "'straggler':true}", new AdminViews.Running(MADE, "running", PATH, 4, 5, 6, 7, true));
    assertJson("{'block':'blk_1_2','group':'','risk':0,'source':'a:1','sources':['a:1','b:1'],'target':'c:1',"
        + "'bytes':3,'grantedBytesPerSec':5}", new AdminViews.Planned(MADE, PATH, 5));
  }

  @Test
  void explanation_isJson() throws Exception {
    Candidate one = new Candidate("a:1", "/r", null, 1, 2, -1);
    Candidate ofGroup = new Candidate("a:1", "/r", 4, 1, 2, -1);
    String candidate =
        "{'node':'a:1','rack':'/r','recoveryLimitBytesPerSec':1,'queuedBytes':2,'finishSeconds':-1.0}";
    String replicas = "'block':'blk_1_2','bytes':3,'liveReplicas':2,'expectedReplicas':3,'pendingTargets':['b:1'],"
        + "'transfers':[],'next':[],'reason':'c'";
    assertJson(
        "{" + replicas + ",'waitReason':'TURN','risk':1,'work':'a copy','failed':[{'target':'d:1','sources':['a:1'],"
            + "'reason':'no room','secondsAgo':9}],'sources':[" + candidate + "],'targets':{'count':1,'best':["
            + candidate + "],'excluded':{'full':2}}}",
        explained(new BlockExplanation.Waiting(WaitReason.TURN, 1, "a copy",
            List.of(new BlockExplanation.Failed("d:1", List.of("a:1"), "no room", 9)), List.of(one),
            new BlockExplanation.Targets(1, List.of(one), Map.of("full", 2)))));
    assertJson("{" + replicas + ",'waitReason':'TURN','risk':1,'work':'a copy','failed':[],'sources':["
        + candidate.replace("'/r',", "'/r','index':4,") + "],'targets':{'count':0,'best':[],'excluded':{}}}",
        explained(new BlockExplanation.Waiting(WaitReason.TURN, 1, "a copy", List.of(), List.of(ofGroup),
            new BlockExplanation.Targets(0, List.of(), Map.of()))));
    assertJson("{" + replicas + "}", explained(null));
  }

  private static BlockExplanation.Explained explained(BlockExplanation.Waiting waiting) {
    return new BlockExplanation.Explained("blk_1_2", 3, 2, 3, List.of("b:1"), List.of(), List.of(), "c", waiting);
  }
}
