/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode;

import org.apache.hadoop.hdfs.protocol.Block;
import org.apache.hadoop.hdfs.server.common.FileRegion;
import org.apache.hadoop.hdfs.server.common.blockaliasmap.BlockAliasMap;

import java.util.Iterator;
import java.util.List;
import java.util.Optional;

/**
 * Which blocks are in provided storage, for all daemons of this JVM: what {@code dfs.provided.aliasmap.class} names.
 * Thread-safe.
 */
public final class ProvidedBlocks extends BlockAliasMap<FileRegion> {
  private static volatile List<FileRegion> regions = List.of();

  static void set(List<FileRegion> provided) {
    regions = List.copyOf(provided);
  }

  @Override
  public Reader<FileRegion> getReader(Reader.Options options, String blockPoolId) {
    List<FileRegion> provided = regions;
    return new Reader<>() {
      @Override
      public Optional<FileRegion> resolve(Block block) {
        return provided.stream().filter(region -> region.getBlock().equals(block)).findFirst();
      }

      @Override
      public Iterator<FileRegion> iterator() {
        return provided.iterator();
      }

      @Override
      public void close() {
      }
    };
  }

  @Override
  public Writer<FileRegion> getWriter(Writer.Options options, String blockPoolId) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void refresh() {
  }

  @Override
  public void close() {
  }
}
