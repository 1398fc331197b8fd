/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.transfers;

import io.dayu.conf.BadSettingException;
import io.dayu.conf.Settings;
import io.dayu.namenode.exchange.NodeLoad;
import io.dayu.namenode.exchange.NodeLoad.Link;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * Equation 1 as {@link NodeBandwidth} has it, for a node of 1000 bytes/s with α = 0.75 and, where none is set, B_min =
 * 120.
 */
class NodeBandwidthTest {

  private static NodeBandwidth bandwidth(String... keysAndValues) throws BadSettingException {
    Configuration conf = new Configuration(false);
    for (int i = 0; i < keysAndValues.length; i += 2) {
      conf.set(keysAndValues[i], keysAndValues[i + 1]);
    }
    return new NodeBandwidth(Settings.read(conf));
  }

  @ParameterizedTest
  @CsvSource({"0, 750", "400, 350", "700, 120", "880, 120", "950, 50", "960, 40", "995, 40", "1000, 40", "1200, 40"})
  void minimum_yieldsToForeground_downToItsFloor(long foreground, long expected) throws BadSettingException {
    assertEquals(expected, bandwidth().recover(new Link(1000, foreground)));
  }

  @ParameterizedTest
  @CsvSource({"0, 750", "400, 350", "700, 240", "760, 240", "880, 120", "950, 50", "1000, 40"})
  void minimum_isTwiceAsMuchAtTheHighestRisk_andYieldsToo(long foreground, long expected)
      throws BadSettingException {
    assertEquals(expected, bandwidth().recoverAtHighestRisk(new Link(1000, foreground)));
  }

  @ParameterizedTest
  @CsvSource({"0, 750", "200, 550", "400, 550", "600, 400", "999, 40"})
  void minimumThatIsSet_yieldsToo(long foreground, long expected) throws BadSettingException {
    assertEquals(expected, bandwidth("dayu.recovery.min.bandwidthPerSec", "550").recover(new Link(1000, foreground)));
  }

  @ParameterizedTest
  @CsvSource({"0, 750", "100, 750", "250, 750", "400, 600"})
  void minimum_isNeverAboveAlpha(long foreground, long expected) throws BadSettingException {
    assertEquals(expected, bandwidth("dayu.recovery.min.bandwidthPerSec", "900").recover(new Link(1000, foreground)));
  }

  /** A node whose network carries 1000 bytes/s and whose volumes take 600. */
  @Test
  void whatANodeReceives_isLimitedByItsDisks_unlessBlocksAreRebuiltThere() throws BadSettingException {
    NodeLoad load = new NodeLoad(new Link(600, 0), new Link(1000, 0), 1, 1).withNetworkIn(1000);
    assertEquals(450, bandwidth().receive(load));
    assertEquals(300, bandwidth().receive(load.withDisks(300)));
    assertEquals(300, bandwidth().receive(load.withDisks(300), false));
    assertEquals(750, bandwidth().receive(load.withDisks(300), true), "less is written than received");
  }

  @Test
  void nodeWithoutAgent_hasTheMinimum_orThatOfATypicalNode() throws BadSettingException {
    assertEquals(120, bandwidth().recoverWithoutAgent(1000));
    assertEquals(550, bandwidth("dayu.recovery.min.bandwidthPerSec", "550").recoverWithoutAgent(1000));
  }

  /** A node of 100 MB/s, of which recovery may have 75 MB/s and has at least 12. */
  @ParameterizedTest
  @CsvSource({"50000000, 1, 50000000", "90000000, 1, 75000000", "1, 1, 12000000", "1, 3, 4000000",
      "50000000, 3, 50000000"})
  void adoptedTransfer_keepsItsRate_withinWhatAPlanCouldGiveIt(long rate, int transfers, long expected)
      throws BadSettingException {
    NodeLoad load = new NodeLoad(new Link(100_000_000, 0), new Link(100_000_000, 0), 1, 1);
    assertEquals(expected, bandwidth().adopted(rate, load, transfers));
  }
}
