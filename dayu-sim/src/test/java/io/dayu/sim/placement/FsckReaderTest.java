/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.placement;

import io.dayu.sim.Cluster;
import io.dayu.sim.FormatException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.zip.GZIPOutputStream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The samples are what a MiniDFSCluster of each Hadoop line said with {@code -files -blocks -locations}, and with
 * {@code -files -blocks -racks -replicaDetails -openforwrite}: seven DataNodes on three racks, of which one is
 * decommissioned and one died with the only replica of a block; in the sample of 3.5.0 a replica is corrupt.
 */
class FsckReaderTest {
  @TempDir
  private Path folder;

  static Path sample(String name) {
    try {
      return Path.of(FsckReaderTest.class.getResource(name).toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  private static FsckListing read(Path file) throws IOException {
    return FsckReader.read(file, WantedFiles.REPLICATED, node -> true, bytes -> {});
  }

  @ParameterizedTest
  @ValueSource(strings = {"3.4.3", "3.5.0"})
  void locations_areRead_asEachHadoopLineWritesThem(String hadoop) throws IOException {
    FsckListing listing = read(sample("fsck-" + hadoop + "-locations.txt"));
    assertEquals(new FsckListing.Counts(7, 0, 2, 0, 0, 1, 0, 6), listing.counts());
    assertEquals(6, listing.nodes().size());
    assertFalse(listing.hasRacks());
    assertEquals(1, listing.cluster(1).rackCount());
    assertArrayEquals(new long[] {1048576, 51424, 1048576, 1048576, 402848, 1000000}, listing.sizeBytes());
    assertEquals(Set.copyOf(listing.nodes()).size(), 6);
    assertTrue(listing.nodes().stream().allMatch(node -> node.matches("127\\.0\\.0\\.1:\\d+")),
        listing.nodes()::toString);
  }

  @ParameterizedTest
  @ValueSource(strings = {"3.4.3", "3.5.0"})
  void racksAndStates_areRead_asEachHadoopLineWritesThem(String hadoop) throws IOException {
    FsckListing listing = read(sample("fsck-" + hadoop + "-racks-details-open.txt"));
    assertEquals(new FsckListing.Counts(8, 0, 2, 0, 1, 1, hadoop.equals("3.5.0") ? 1 : 0, 6), listing.counts());
    assertEquals(List.of("/rack0", "/rack1", "/rack2"), listing.rackNames().stream().sorted().toList());
    Cluster cluster = listing.cluster(1);
    int decommissioned = listing.nodes().indexOf(hadoop.equals("3.5.0") ? "127.0.0.1:43419" : "127.0.0.1:43991");
    for (int node = 0; node < cluster.nodes(); node++) {
      assertEquals(node != decommissioned, cluster.accepts(node), listing.nodes().get(node));
    }
  }

  @Test
  void lossOfANode_isWhatHdfsWouldRecover() throws IOException {
    FsckListing listing = read(sample("fsck-3.5.0-racks-details-open.txt"));
    ListedPlacement placement = new ListedPlacement(listing, -1);
    int node = listing.nodes().indexOf("127.0.0.1:37813");
    LostBlocks lost = placement.lose(node, 0, 0, 0);
    assertArrayEquals(new long[] {51424, 1048576, 402848, 1048576}, lost.sizeBytes(),
        "not the block whose replica there is corrupt");
    assertEquals(2_551_424, placement.bytesOn(node));
    assertEquals(List.of("127.0.0.1:43603"), holders(listing, lost, 0));
    assertEquals(List.of("127.0.0.1:43419", "127.0.0.1:43603", "127.0.0.1:34081"), holders(listing, lost, 2),
        "a decommissioned node serves what it has");
    assertEquals(new ListedPlacement.Rest(0, 0, 1), placement.rest(node));
    int decommissioned = listing.nodes().indexOf("127.0.0.1:43419");
    assertEquals(new ListedPlacement.Rest(1, 0, 1), placement.rest(decommissioned));
    assertArrayEquals(new int[0], new ListedPlacement(listing, decommissioned).candidates());
    assertArrayEquals(new int[] {node}, new ListedPlacement(listing, node).candidates());
  }

  private static List<String> holders(FsckListing listing, LostBlocks lost, int block) {
    return IntStream.range(0, lost.holderCount(block))
        .mapToObj(replica -> listing.nodes().get(lost.holder(block, replica))).toList();
  }

  @Test
  void blocksOfOtherNodes_areNotKept_ifOneIsWanted() throws IOException {
    Path sample = sample("fsck-3.5.0-racks-details-open.txt");
    FsckListing all = read(sample);
    FsckListing one = FsckReader.read(sample, WantedFiles.REPLICATED, "127.0.0.1:37813"::equals, bytes -> {});
    assertEquals(all.counts(), one.counts());
    assertEquals(all.nodes(), one.nodes());
    assertEquals(4, one.sizeBytes().length);
    int node = all.nodes().indexOf("127.0.0.1:37813");
    assertArrayEquals(new ListedPlacement(all, node).lose(node, 0, 0, 0).holders(),
        new ListedPlacement(one, node).lose(node, 0, 0, 0).holders());
  }

  @Test
  void groupsOfAPolicy_areReadInPlaceOfBlocks() throws IOException {
    Path sample = sample("fsck-3.5.0-racks-details-open.txt");
    FsckListing listing = FsckReader.read(sample, xor21(), node -> true, bytes -> {});
    assertEquals(2, listing.counts().groups());
    assertEquals(8, listing.counts().replicated());
    assertArrayEquals(new long[] {1 << 20, 902_848}, listing.sizeBytes(), "one is shorter than a cell");
    int node = listing.nodes().indexOf("127.0.0.1:38679");
    LostBlocks lost = new ListedPlacement(listing, node).lose(node, 0, 0, 0);
    assertEquals(1, lost.count());
    assertEquals(new BlockKind(2, RackRule.EVEN), lost.kinds().of(0));
    assertEquals(Set.of("127.0.0.1:34081", "127.0.0.1:44229"), Set.copyOf(holders(listing, lost, 0)),
        "not the decommissioned one, whose internal block is live elsewhere");
    WantedFiles others = WantedFiles.of(ErasureCode.parse("rs-6-3"));
    assertEquals(0, FsckReader.read(sample, others, one -> true, bytes -> {}).sizeBytes().length);
  }

  private static WantedFiles xor21() {
    return WantedFiles.of(ErasureCode.parse("xor-2-1"));
  }

  /** Of the second group, shorter than a cell, there is one data block and one parity block: each makes the other. */
  @Test
  void groupShorterThanAStripe_isRebuiltFromAsManyNodesAsItHasDataBlocks() throws IOException {
    FsckListing listing =
        FsckReader.read(sample("fsck-3.5.0-racks-details-open.txt"), xor21(), node -> true, bytes -> {});
    int node = listing.nodes().indexOf("127.0.0.1:37813");
    LostBlocks lost = new ListedPlacement(listing, node).lose(node, 0, 0, 0);
    assertEquals(1, lost.count());
    assertEquals(new BlockKind(1, RackRule.EVEN), lost.kinds().of(0));
    assertEquals(List.of("127.0.0.1:44229"), holders(listing, lost, 0));
  }

  @Test
  void blocksAndGroups_areReadTogether_eachAsOfItsKind() throws IOException {
    Path sample = sample("fsck-3.5.0-racks-details-open.txt");
    FsckListing all = FsckReader.read(sample, WantedFiles.ALL, node -> true, bytes -> {});
    FsckListing blocks = read(sample);
    FsckListing groups = FsckReader.read(sample, xor21(), node -> true, bytes -> {});
    assertEquals(8, all.counts().blocks());
    assertEquals(2, all.counts().groups());
    assertEquals(0, all.counts().striped() + all.counts().replicated());
    for (int node = 0; node < all.nodes().size(); node++) {
      assertEquals(new ListedPlacement(blocks, -1).bytesOn(node) + new ListedPlacement(groups, -1).bytesOn(node),
          new ListedPlacement(all, -1).bytesOn(node));
    }
    int node = all.nodes().indexOf("127.0.0.1:37813");
    LostBlocks lost = new ListedPlacement(all, node).lose(node, 0, 0, 0);
    LostBlocks lostBlocks = new ListedPlacement(blocks, node).lose(node, 0, 0, 0);
    assertEquals(lostBlocks.count() + 1, lost.count());
    long ofBlocks = IntStream.range(0, lost.count())
        .filter(block -> lost.kinds().of(block).equals(BlockKind.replica(RackRule.TWO_RACKS))).count();
    assertEquals(lostBlocks.count(), ofBlocks);
  }

  @Test
  void compressedListing_isReadLikeAPlainOne_withProgressToItsEnd() throws IOException {
    Path sample = sample("fsck-3.4.3-locations.txt");
    Path compressed = folder.resolve("listing"); // Known by its content, not by its name.
    try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(compressed));
        InputStream in = Files.newInputStream(sample)) {
      in.transferTo(out);
    }
    long[] progress = new long[1];
    FsckListing read = FsckReader.read(compressed, WantedFiles.REPLICATED, node -> true, bytes -> progress[0] = bytes);
    assertEquals(read(sample).nodes(), read.nodes());
    assertEquals(Files.size(compressed), progress[0]);
  }

  @Test
  void overReplicatedBlock_needsNoCopy_andALastReplicaIsLostForGood() throws IOException {
    Path file = Files.writeString(folder.resolve("listing"), """
        /a 5 bytes, replicated: replication=1, 1 block(s):  OK
        0. BP-1-1-1:blk_1_1 len=5 Live_repl=2  [/r/1.1.1.1:1, /r/1.1.1.2:1]
        /b 6 bytes, replicated: replication=1, 1 block(s):  OK
        0. BP-1-1-1:blk_2_1 len=6 Live_repl=1  [/r/1.1.1.1:1]
        Status: HEALTHY
        """);
    ListedPlacement placement = new ListedPlacement(read(file), 0);
    assertEquals(new ListedPlacement.Rest(1, 1, 0), placement.rest(0));
    assertEquals(0, placement.candidates().length);
  }

  private static FsckListing ofCases(String name) throws IOException {
    return read(sample("/io/dayu/sim/cases/" + name));
  }

  @Test
  void severalListings_areOne_andAFileThatIsListedTwiceCountsOnce() throws IOException {
    FsckListing plain = ofCases("fsck-plain.txt");
    assertEquals(18, plain.counts().blocks());
    FsckListing two = ofCases("fsck-two-listings.txt");
    assertEquals(36, two.counts().blocks());
    assertEquals(36, two.sizeBytes().length);
    assertEquals(new FsckListing.Source(2, 0, 0, false, List.of()), two.source());
    String text = Files.readString(sample("/io/dayu/sim/cases/fsck-plain.txt"));
    FsckListing same = read(Files.writeString(folder.resolve("same"), text + text));
    assertEquals(18, same.counts().blocks());
    assertEquals(new FsckListing.Source(2, 1, 0, false, List.of()), same.source());
    Path cut = Files.writeString(folder.resolve("cut"), text + text.substring(0, text.indexOf("Status")));
    assertTrue(
        assertThrows(FormatException.class, () -> read(cut)).getMessage().contains("without its summary"));
  }

  @Test
  void linesOfLoggers_arePassedOver_andCounted() throws IOException {
    FsckListing listing = ofCases("fsck-with-log-lines.txt");
    assertEquals(18, listing.counts().blocks());
    assertEquals(2, listing.source().logLines());
    Path file = Files.writeString(folder.resolve("listing"),
        "SLF4J: Class path contains multiple SLF4J bindings.\nPicked up JAVA_TOOL_OPTIONS: -Xmx1g\n"
            + "2026-11-23 10:00:00,123 WARN  [main] util.NativeCodeLoader (NativeCodeLoader.java:<clinit>(60)) - no\n"
            + "2026-11-23T10:00:00.123Z INFO x\nOpenJDK 64-Bit Server VM warning: Ignoring option\n"
            + Files.readString(sample("/io/dayu/sim/cases/fsck-plain.txt")));
    assertEquals(5, read(file).source().logLines());
  }

  @Test
  void racks_mayHaveParenthesesAndCommas() throws IOException {
    FsckListing listing = ofCases("fsck-rack-with-parentheses.txt");
    assertEquals(List.of("/rack0", "/room (2)/r1", "/rack2"), listing.rackNames());
    Path file = Files.writeString(folder.resolve("listing"),
        Files.readString(sample("/io/dayu/sim/cases/fsck-rack-with-parentheses.txt"))
            .replace("/room (2)/r1", "/room, 2 [b]/r1").replace(":9866", ":9866(LIVE)"));
    assertEquals(List.of("/rack0", "/room, 2 [b]/r1", "/rack2"), read(file).rackNames());
  }

  @Test
  void listingOfHadoop2_isRead_withWhatItDoesNotSay() throws IOException {
    FsckListing listing = ofCases("fsck-hadoop2.txt");
    assertEquals(18, listing.counts().blocks());
    assertTrue(listing.source().hadoop2());
    assertArrayEquals(ofCases("fsck-plain.txt").replicaSurplus(), listing.replicaSurplus());
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', quoteCharacter = '"', value = {
      "0. BP-1:blk_1_1 len=5 Live_repl=1  [/r/1.1.1.1:1]| line 1: a block before any file",
      "/a 5 bytes, replicated: replication=1, 1 block(s):  OK~0. BP-1:blk_1_1 len=x| line 2: expected a block like",
      "/a 5 bytes, replicated: replication=1, 1 block(s):  OK~0. BP-1:blk_1_1 len=5 Live_repl=1| line 2: expected "
          + "locations in brackets",
      "/a 5 bytes, replicated: replication=1, 1 block(s):  OK~0. BP-1:blk_1_1 len=5 Live_repl=1  [somewhere]| line 2: "
          + "expected a location like",
      "/a 5 bytes, replicated: replication=1, 2 block(s):  OK~0. BP-1:blk_1_1 len=5 Live_repl=1  "
          + "[/r/1.1.1.1:1]~Status: HEALTHY| line 3: expected 1 more block(s) of the file above",
      "/a 5 bytes, replicated: replication=1, 0 block(s):  OK~0. BP-1:blk_1_1 len=5 Live_repl=1  "
          + "[/r/1.1.1.1:1]~Status: HEALTHY| line 3: the file above has 1 block(s) more than its line says",
      "/a 5 bytes, replicated: replication=1, 1 block(s):  OK~0. BP-1:blk_1_1 len=5 Live_repl=2  [/r/1.1.1.1:1, "
          + "/q/1.1.1.1:1]| line 2: the node 1.1.1.1:1 is on another rack here than above",
      "/a 5 bytes, replicated: replication=1, 1 block(s):  OK~0. BP-1:blk_1_1 len=5 Live_repl=1  [/r/1.1.1.1:1]~"
          + "| line 2: the listing ends without its summary",
      "/ <dir>~Status: HEALTHY| line 2: no block with a location"})
  void whatCannotBeUnderstood_isNamedByLine_withWhatIsExpected(String text, String message) throws IOException {
    Path file = Files.writeString(folder.resolve("listing"), text.replace('~', '\n'));
    String said = assertThrows(FormatException.class, () -> read(file)).getMessage();
    assertTrue(said.startsWith(file + ": ") && said.contains(message), said);
  }
}
