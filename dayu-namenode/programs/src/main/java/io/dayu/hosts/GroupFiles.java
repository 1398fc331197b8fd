/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.protocol.ErasureCodingPolicy;
import org.apache.hadoop.io.erasurecode.CodecUtil;
import org.apache.hadoop.io.erasurecode.ErasureCoderOptions;
import org.apache.hadoop.io.erasurecode.rawcoder.RawErasureEncoder;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** Whether the internal blocks of groups, on the disks of all DataNodes, belong together. Not thread-safe. */
final class GroupFiles {
  private final int dataUnits;
  private final int parityUnits;
  private final RawErasureEncoder encoder;

  GroupFiles(ErasureCodingPolicy policy) {
    dataUnits = policy.getNumDataUnits();
    parityUnits = policy.getNumParityUnits();
    encoder = CodecUtil.createRawEncoder(new Configuration(false), policy.getCodecName(),
        new ErasureCoderOptions(dataUnits, parityUnits));
  }

  /**
   * What is missing, or is not what the data blocks give, one line each. No client may write meanwhile.
   *
   * @param blocks those that the NameNode knows, if it says; others may be about to be deleted
   */
  List<String> differences(HostConf conf, Optional<List<FsckBlock>> blocks) throws IOException {
    List<Path> volumes = IntStream.range(0, conf.layout().topology().nodes())
        .mapToObj(node -> conf.dataNodeStorage(node).volumes()).flatMap(List::stream).toList();
    return blocks.isPresent() ? differences(volumes, blocks.get()) : List.of("the NameNode does not list its groups");
  }

  List<String> differences(List<Path> volumes, List<FsckBlock> blocks) throws IOException {
    Map<Long, Map<Integer, Path>> files = files(volumes);
    List<FsckBlock> groups = blocks.stream().filter(FsckBlock::isGroup).toList();
    List<String> different = new ArrayList<>(groups.isEmpty() ? List.of("the NameNode lists no group") : List.of());
    for (FsckBlock group : groups) {
      try {
        different.addAll(differences(group, files.getOrDefault(Block.getBlockId(group.id()), Map.of())));
      } catch (NoSuchFileException deleted) {
        different.add("group " + group.id() + " has just lost " + deleted.getMessage());
      }
    }
    return different;
  }

  private static Map<Long, Map<Integer, Path>> files(List<Path> volumes) throws IOException {
    Map<Long, Map<Integer, Path>> files = new HashMap<>();
    for (Path volume : volumes) {
      for (Path file : HostStorage.finalizedOf(volume)) {
        if (DataPlacement.isInternalBlock(file)) {
          files.computeIfAbsent(DataPlacement.owner(file), group -> new TreeMap<>())
              .put(DataPlacement.index(file), volume.resolve(file));
        }
      }
    }
    return files;
  }

  private List<String> differences(FsckBlock block, Map<Integer, Path> files) throws IOException {
    List<String> different = new ArrayList<>();
    Map<Integer, byte[]> contents = new TreeMap<>();
    int length = 0;
    for (int index = 0; index < dataUnits + parityUnits; index++) {
      if (files.containsKey(index)) {
        contents.put(index, Files.readAllBytes(files.get(index)));
        length = Math.max(length, contents.get(index).length);
      } else if (index < block.sources() || index >= dataUnits) {
        different.add("group " + block.id() + " has no file of internal block " + index);
      }
    }
    if (different.isEmpty()) {
      byte[][] parity = encode(contents, length);
      for (int i = 0; i < parityUnits; i++) {
        if (!Arrays.equals(parity[i], contents.get(dataUnits + i))) {
          different.add(files.get(dataUnits + i) + " is not what the data blocks of its group give");
        }
      }
    }
    return different;
  }

  /** A data block that is shorter goes on with zeros, and one that a short group lacks is all zeros. */
  private byte[][] encode(Map<Integer, byte[]> contents, int length) throws IOException {
    byte[][] data = new byte[dataUnits][];
    for (int index = 0; index < dataUnits; index++) {
      data[index] = Arrays.copyOf(contents.getOrDefault(index, new byte[0]), length);
    }
    byte[][] parity = new byte[parityUnits][length];
    encoder.encode(data, parity);
    return parity;
  }
}
