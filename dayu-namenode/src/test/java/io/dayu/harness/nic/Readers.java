/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness.nic;

import java.util.Optional;

/**
 * Tells for whom a DataNode opens a replica, by the stack of the thread that does and, in a client's or node's read, by
 * the name of that thread, which holds the reader's name. Stateless. The names are the same in Hadoop 3.4 and 3.5.
 */
public final class Readers {
  private static final String DATANODE = "org.apache.hadoop.hdfs.server.datanode.";
  private static final String READ_THREAD = "DataXceiver for client ";
  private static final StackWalker STACK = StackWalker.getInstance();

  private Readers() {
  }

  /**
   * The kind of traffic that the calling thread is about to read for; empty if what it reads stays on the node, as the
   * scanner's.
   */
  public static Optional<Traffic> trafficOfThisThread() {
    return STACK.walk(frames -> frames.filter(frame -> frame.getClassName().startsWith(DATANODE)).map(Readers::traffic)
        .filter(Optional::isPresent).findFirst().orElse(Optional.empty()));
  }

  private static Optional<Traffic> traffic(StackWalker.StackFrame frame) {
    return switch (frame.getClassName().substring(DATANODE.length()) + "." + frame.getMethodName()) {
      case "DataXceiver.readBlock" -> Optional.of(trafficOfReader(Thread.currentThread().getName()));
      case "DataXceiver.copyBlock", "DataNode$DataTransfer.run" -> Optional.of(Traffic.RECOVERY);
      default -> Optional.empty();
    };
  }

  /**
   * @param threadName {@code DataXceiver for client NAME at ADDRESS [...]}; nodes that reconstruct a block read without
   *     a name
   */
  static Traffic trafficOfReader(String threadName) {
    String reader = threadName.startsWith(READ_THREAD) ? threadName.substring(READ_THREAD.length()) : threadName;
    return reader.startsWith("dayu-recovery at ") || reader.startsWith(" at ") ? Traffic.RECOVERY : Traffic.FOREGROUND;
  }
}
