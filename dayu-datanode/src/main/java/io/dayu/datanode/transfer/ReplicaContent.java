/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode.transfer;

import io.dayu.datanode.transfer.TransferControl.StopException;
import io.dayu.protocol.DayuProtos.RunningTransferProto;

import java.io.Closeable;
import java.io.IOException;

/**
 * Where a transfer's replica comes from: one class for each kind of transfer. The transfer's thread calls
 * {@link #receive}, then {@link #finish} or {@link #abort}, and at last {@link #close}; any thread may call the other
 * methods.
 */
interface ReplicaContent extends Closeable {
  /**
   * Receives what the replica lacks; returns when all of it is there.
   *
   * @throws StopException if the transfer must end
   * @throws IOException if something on our own node went wrong
   */
  void receive() throws StopException, IOException;

  /** Makes the complete replica a finalized one and tells the NameNodes. */
  void finish() throws TargetException;

  /** Removes the partial replica, if there is one. Never throws. */
  void abort();

  /**
   * Ends what is left when the replica is final or gone, and the transfer's end has been told: connections, threads,
   * memory. May take as long as a source takes to end a read.
   */
  @Override
  void close();

  /** A newer grant has come, which may name other sources. */
  default void granted() {
  }

  /** Verified bytes of the replica on disk. */
  long doneBytes();

  /** Bytes that have been received. */
  long receivedBytes();

  /** Measures what {@link #describe} says of the time. */
  void measure(long nowNs);

  /** Adds to a report what this kind of transfer has to say. */
  void describe(RunningTransferProto.Builder report);

  /** Where the complete replica came from, for people. */
  String origin();
}
