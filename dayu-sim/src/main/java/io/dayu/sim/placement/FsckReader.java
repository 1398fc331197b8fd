/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.sim.placement;

import com.google.common.hash.Hashing;
import io.dayu.sim.FormatException;
import io.dayu.sim.TextFile;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongConsumer;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads the output of {@code hdfs fsck / -files -blocks} with {@code -locations}, {@code -racks} or
 * {@code -replicaDetails}, gzip or not, as Hadoop 3.4 and 3.5 write it (NamenodeFsck), or Hadoop 2. Single-threaded;
 * used once.
 *
 * <p>A file is a line {@code /path 123 bytes, replicated: replication=3, 1 block(s):  OK}, and a block below it a line
 * {@code 0. BP-…:blk_1_1 len=123 Live_repl=3  [location, location, location]}. A location is
 * {@code DatanodeInfoWithStorage[10.0.0.1:9866,DS-…,DISK]}, or {@code /rack/10.0.0.1:9866}, and with details a state in
 * parentheses follows. Of a block group each location begins with the number of its internal block. What else there is
 * (directories, complaints about files, the summary) is passed over, except that the summary must be there: without it
 * the listing is not whole. Several listings may follow one another; a file that is in more than one counts once. Lines
 * of loggers and JVMs are passed over and counted.
 *
 * <p>Hadoop 2 does not say how many replicas a file wants: there each block counts as having as many as wanted.
 */
public final class FsckReader {
  private static final String SUMMARY = "Status: ";
  private static final String DATA_NODES = " Number of data-nodes:";
  private static final Pattern FILE = Pattern.compile(
      "(/.*) \\d+ bytes, (?:replicated: replication=(\\d{1,5}), |erasure-coded: policy=(\\S+), |)"
          + "(\\d+) block\\(s\\)(, OPENFORWRITE)?: .*");
  private static final Pattern BLOCK_BEGIN = Pattern.compile("\\d+\\. ");
  private static final Pattern BLOCK = Pattern.compile(
      "\\d+\\. \\S+:blk_-?\\d+_\\d+ len=(\\d{1,18})(?:( MISSING!)| Expected_repl=\\d+|)"
          + "(?: (?:Live_)?repl=(\\d{1,5}))?(?: +\\[(.*)])?");
  private static final Pattern LOCATION = Pattern.compile("(?:blk_(-?\\d+):)?"
      + "(?:DatanodeInfoWithStorage\\[([^,\\]]+:\\d+),[^\\]]*]|(/.*)/([^/\\[(]+:\\d+))"
      + "(?:\\(ud=[^)]*\\))?(?:\\(([A-Z_ ]+)\\))?");

  /** Between locations. A comma may also be in the name of a rack. */
  private static final Pattern BETWEEN = Pattern.compile(", (?=(?:blk_-?\\d+:)?(?:/|DatanodeInfoWithStorage\\[))");
  private static final Pattern LOG = Pattern.compile(
      "\\d{2}(?:\\d{2})?[-/]\\d{2}[-/]\\d{2}[ T]\\d{2}:\\d{2}:\\d{2}.*|(?:SLF4J|log4j|WARNING|Picked up \\w+):.*"
          + "|.* VM warning: .*");
  private static final String BEGIN = "FSCK started by ";

  private final String file;
  private final ListingBuilder listing;
  private final WantedFiles files;
  /** Fingerprints of the paths so far, where there are several listings; else null, which saves their memory. */
  private final Set<Long> paths;
  private long line;
  private boolean inFile;
  /** The policy of the file's groups, or null for a replicated file. */
  private String policy;
  /** Its code; null if its groups are left out. */
  private ErasureCode code;
  private int replication;
  private long blocksToCome;
  private boolean open;
  private boolean listedBefore;
  private boolean ended;
  private int listings = 1;
  private long repeated;
  private long logLines;
  private boolean hadoop2;
  /** Of files with groups, by name. */
  private final Set<String> policies = new TreeSet<>();
  private int dataNodes = -1;

  private FsckReader(String file, WantedFiles files, Predicate<String> wanted, Set<Long> paths) {
    this.file = file;
    this.files = files;
    this.paths = paths;
    listing = new ListingBuilder(wanted);
  }

  /**
   * @param files whose blocks or groups are read; those of others are counted
   * @param wanted by {@code ip:port}, the nodes whose blocks are kept; all nodes are
   * @param progress receives the number of bytes read
   * @throws FormatException naming the line of what cannot be understood, and what is expected there
   */
  public static FsckListing read(Path path, WantedFiles files, Predicate<String> wanted, LongConsumer progress)
      throws IOException {
    FsckListing alone = read(path, files, wanted, progress, null);
    return alone != null ? alone : read(path, files, wanted, progress, new HashSet<>());
  }

  private static FsckListing read(Path path, WantedFiles files, Predicate<String> wanted, LongConsumer progress,
      Set<Long> paths) throws IOException {
    try (BufferedReader reader = TextFile.open(path, progress)) {
      return new FsckReader(path.toString(), files, wanted, paths).read(reader);
    }
  }

  /** The listing; null if there is another behind it and paths are not kept. */
  private FsckListing read(BufferedReader reader) throws IOException {
    for (String text = reader.readLine(); text != null; text = reader.readLine()) {
      line++;
      if (ended && (text.startsWith(BEGIN) || FILE.matcher(text).matches())) {
        if (paths == null) {
          return null;
        }
        ended = false;
        inFile = false;
        listings++;
      }
      if (ended) {
        readSummary(text);
      } else if (text.startsWith("/")) {
        readFile(text);
      } else if (text.startsWith(SUMMARY)) {
        endFile();
        ended = true;
      } else if (BLOCK_BEGIN.matcher(text).lookingAt()) {
        readBlock(text);
      } else if (LOG.matcher(text).matches()) {
        logLines++;
      } else if (!text.isEmpty() && Character.isDigit(text.charAt(0))) {
        throw notABlock(text);
      }
    }
    if (!ended) {
      throw error("the listing ends without its summary, expected a line that begins with '" + SUMMARY.trim()
          + "': was fsck interrupted, or is this no output of 'hdfs fsck / -files -blocks -locations'?");
    }
    if (listing.nodeCount() == 0) {
      throw error("no block with a location in the whole listing, expected the output of 'hdfs fsck / -files -blocks "
          + "-locations'");
    }
    return listing.build(dataNodes,
        new FsckListing.Source(listings, repeated, logLines, hadoop2, List.copyOf(policies)));
  }

  private void readSummary(String text) {
    if (text.startsWith(DATA_NODES)) {
      String number = text.substring(DATA_NODES.length()).trim();
      dataNodes = Math.max(dataNodes, number.matches("\\d{1,9}") ? Integer.parseInt(number) : -1);
    }
  }

  private void readFile(String text) throws FormatException {
    Matcher form = FILE.matcher(text);
    if (form.matches()) {
      endFile();
      inFile = true;
      policy = form.group(3);
      if (policy != null) {
        policies.add(policy);
      }
      code = policy == null ? null : files.codeOf(policy);
      hadoop2 |= form.group(2) == null && policy == null;
      replication = form.group(2) == null ? -1 : Integer.parseInt(form.group(2));
      blocksToCome = Long.parseLong(form.group(4));
      open = form.group(5) != null;
      if (paths != null) {
        listedBefore =
            !paths.add(Hashing.farmHashFingerprint64().hashString(form.group(1), StandardCharsets.UTF_8).asLong());
        repeated += listedBefore ? 1 : 0;
      }
    }
  }

  /** A file that is being written may lose the block that was under construction between two looks at it. */
  private void endFile() throws FormatException {
    if (blocksToCome != 0 && !open) {
      throw error(blocksToCome > 0
          ? "expected " + blocksToCome + " more block(s) of the file above; was fsck run without -blocks?"
          : "the file above has " + -blocksToCome + " block(s) more than its line says");
    }
    blocksToCome = 0;
  }

  private void readBlock(String text) throws FormatException {
    Matcher form = BLOCK.matcher(text);
    if (!form.matches()) {
      throw notABlock(text);
    }
    if (!inFile) {
      throw error(
          "a block before any file, expected a line like '/path 123 bytes, replicated: replication=3, 1 block(s):  "
              + "OK'");
    }
    blocksToCome--;
    if (listedBefore) {
      return;
    }
    boolean missing = form.group(2) != null;
    boolean underConstruction = !missing && form.group(3) == null;
    if (form.group(4) == null && !missing) {
      throw error("expected locations in brackets at the end of the line; run fsck with -locations or -racks");
    }
    long bytes = Long.parseLong(form.group(1));
    listing.beginBlock(code != null ? internalBytes(bytes) : bytes);
    if (form.group(4) != null && !form.group(4).isEmpty()) {
      readLocations(BETWEEN.split(form.group(4)));
    }
    int live = missing || underConstruction ? 0 : Integer.parseInt(form.group(3));
    if (policy != null && code == null) {
      listing.endStriped();
    } else if (underConstruction) {
      listing.endUnderConstruction();
    } else if (policy != null) {
      listing.endGroup(live, code.dataBlocks(bytes, ErasureCode.cellBytes(policy)), code.parityUnits());
    } else if (!files.replicated()) {
      listing.endLeftOut();
    } else {
      listing.endBlock(live, replication < 0 ? live : replication);
    }
  }

  /** What a parity block of the group has, and a data block at most. */
  private long internalBytes(long groupBytes) {
    long cell = ErasureCode.cellBytes(policy);
    long stripe = code.dataUnits() * cell;
    return groupBytes / stripe * cell + Math.min(cell, groupBytes % stripe);
  }

  private FormatException notABlock(String text) {
    return error("expected a block like '0. BP-…:blk_…_… len=… Live_repl=…  [location, …]', found " + quoted(text));
  }

  /** Where groups are read, only one of the nodes with an internal block counts, a live one where there is one. */
  private void readLocations(String[] locations) throws FormatException {
    Set<String> internalBlocks = new HashSet<>();
    for (boolean live : new boolean[] {true, false}) {
      for (String location : locations) {
        Matcher form = LOCATION.matcher(location);
        if (!form.matches()) {
          throw error("expected a location like 'DatanodeInfoWithStorage[10.0.0.1:9866,DS-…,DISK]' or "
              + "'/rack/10.0.0.1:9866', found " + quoted(location));
        }
        String state = form.group(5) == null ? "" : form.group(5);
        boolean first = !files.withGroups() || form.group(1) == null || state.isEmpty() || state.equals("LIVE");
        if (first == live && (!files.withGroups() || form.group(1) == null || internalBlocks.add(form.group(1)))) {
          addLocation(form, state);
        }
      }
    }
  }

  private void addLocation(Matcher form, String state) throws FormatException {
    boolean named = form.group(2) != null;
    String rack = named ? "" : form.group(3);
    if (!listing.add(named ? form.group(2) : form.group(4), rack, state)) {
      throw error("the node " + (named ? form.group(2) : form.group(4)) + " is on another rack here than above");
    }
  }

  private FormatException error(String what) {
    return new FormatException(file, line, "", what);
  }

  private static String quoted(String text) {
    return "'" + (text.length() > 80 ? text.substring(0, 80) + "…" : text) + "'";
  }
}
