/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.dayu.datanode;

import io.dayu.datanode.SourceStandings.Address;
import io.dayu.protocol.DayuProtos.AnswerProto;
import io.dayu.protocol.DayuProtos.AskProto;
import io.dayu.protocol.DayuProtos.EndedProto;
import io.dayu.protocol.DayuProtos.EndedResponseProto;
import io.dayu.protocol.DayuTurnsPB;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.ipc.RemoteException;
import org.apache.hadoop.ipc.RpcNoSuchProtocolException;
import org.apache.hadoop.thirdparty.protobuf.RpcController;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.Closeable;
import java.io.IOException;
import java.net.ConnectException;
import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Sources that answer and such that do not, at moments that the test says. */
class SourceStandingsTest {
  private static final Address SOURCE = new Address("source.example", 9867);
  private static final long NOW = 1_000;

  private final List<Address> closed = new ArrayList<>();
  private final SourceStandings standings = new SourceStandings(Proxy::new);

  private final class Proxy implements DayuTurnsPB, Closeable {
    private final Address address;

    private Proxy(Address address) {
      this.address = address;
    }

    @Override
    public AnswerProto ask(RpcController controller, AskProto ask) {
      throw new AssertionError();
    }

    @Override
    public EndedResponseProto ended(RpcController controller, EndedProto ended) {
      throw new AssertionError();
    }

    @Override
    public void close() {
      closed.add(address);
    }
  }

  @Test
  void untriedSource_mayBeAskedByAll() {
    assertTrue(standings.mayAsk(SOURCE, NOW));
    assertTrue(standings.mayAsk(SOURCE, NOW));
  }

  @Test
  void unreachableSource_isLeftAloneForTenSecondsAndThenTriedByOne() {
    standings.failed(SOURCE, new ConnectException("refused"), NOW);
    assertFalse(standings.mayAsk(SOURCE, NOW + SourceStandings.UNREACHABLE_NANOS - 1));
    assertTrue(standings.mayAsk(SOURCE, NOW + SourceStandings.UNREACHABLE_NANOS));
    assertFalse(standings.mayAsk(SOURCE, NOW + SourceStandings.UNREACHABLE_NANOS));
    assertTrue(standings.mayAsk(new Address("other.example", 9867), NOW));
  }

  @ParameterizedTest
  @ValueSource(classes = {RPC.VersionMismatch.class, RpcNoSuchProtocolException.class})
  void sourceWithoutTheProtocol_isLeftAloneForAMinute(Class<?> exception) {
    standings.failed(SOURCE, new RemoteException(exception.getName(), "not known here"), NOW);
    assertFalse(standings.mayAsk(SOURCE, NOW + SourceStandings.UNKNOWN_THERE_NANOS - 1));
    assertTrue(standings.mayAsk(SOURCE, NOW + SourceStandings.UNKNOWN_THERE_NANOS));
  }

  @Test
  void sourceThatAnswersAgain_mayBeAskedByAll() {
    standings.failed(SOURCE, new ConnectException("refused"), NOW);
    standings.answered(SOURCE);
    assertTrue(standings.mayAsk(SOURCE, NOW));
    assertTrue(standings.mayAsk(SOURCE, NOW));
  }

  @Test
  void source_isThoughtToHaveAnAgentUntilItFailsToAnswer() {
    assertTrue(standings.hasAgent(SOURCE), "never tried");
    standings.failed(SOURCE, new ConnectException("refused"), NOW);
    assertFalse(standings.hasAgent(SOURCE));
    assertTrue(standings.mayAsk(SOURCE, NOW + SourceStandings.UNREACHABLE_NANOS));
    assertFalse(standings.hasAgent(SOURCE), "being tried");
    standings.answered(SOURCE);
    assertTrue(standings.hasAgent(SOURCE));
  }

  @Test
  void proxy_isMadeOnceForEachSource() throws IOException {
    assertSame(standings.proxy(SOURCE), standings.proxy(SOURCE));
    assertNotSame(standings.proxy(SOURCE), standings.proxy(new Address("source.example", 9868)));
  }

  @Test
  void manySources_loseTheOneThatWasAskedLongestAgo() throws IOException {
    Address next = new Address("next.example", 9867);
    standings.proxy(SOURCE);
    standings.proxy(next);
    standings.proxy(SOURCE);
    for (int i = 0; i < SourceStandings.MAX_SOURCES - 1; i++) {
      standings.proxy(new Address("source.example", i));
    }
    assertEquals(List.of(next), closed);
  }

  @Test
  void close_endsAllConnectionsAndMakesNoMore() throws IOException {
    standings.proxy(SOURCE);
    standings.close();
    assertEquals(List.of(SOURCE), closed);
    assertThrows(IOException.class, () -> standings.proxy(SOURCE));
  }
}
