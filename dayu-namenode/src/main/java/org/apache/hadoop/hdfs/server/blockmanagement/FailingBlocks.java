/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package org.apache.hadoop.hdfs.server.blockmanagement;

import io.dayu.blocks.BlockKey;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Keeps an exception at one block from the others that are handled with it, and remembers such blocks, so that each is
 * logged once. Thread-safe. Bounded.
 */
final class FailingBlocks {
  private static final Logger LOG = LoggerFactory.getLogger(FailingBlocks.class);

  /** At most this many are remembered; further ones are logged at DEBUG. */
  private static final int LIMIT = 1_000;

  private final Set<Long> known = new LinkedHashSet<>();

  /**
   * An action that throws nothing: where {@code action} throws, {@code otherwise} runs.
   *
   * @param operation what is done, for the log
   * @param key the block of an item; does not throw
   */
  <T> Consumer<T> guard(String operation, Function<T, BlockKey> key, Consumer<T> action, Consumer<T> otherwise) {
    return item -> {
      try {
        action.accept(item);
      } catch (RuntimeException e) {
        report(operation, key.apply(item), e);
        otherwise.accept(item);
      }
    };
  }

  /** As the other method, where nothing else is to be done. */
  <T> Consumer<T> guard(String operation, Function<T, BlockKey> key, Consumer<T> action) {
    return guard(operation, key, action, item -> {});
  }

  void report(String operation, BlockKey block, RuntimeException cause) {
    if (isNew(block)) {
      LOG.warn("Dayu: HDFS failed at block {} ({}); Dayu leaves this block out, and the others go on", block, operation,
          cause);
    } else {
      LOG.debug("BLOCK* Dayu: HDFS failed at block {} again ({})", block, operation, cause);
    }
  }

  private synchronized boolean isNew(BlockKey block) {
    return known.size() < LIMIT && known.add(block.blockId());
  }
}
