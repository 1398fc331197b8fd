/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
/**
 * The transfers of a DataNode: blocks that are pulled from other DataNodes as grants say ({@code TransferRegistry}),
 * what recovery reads here ({@code RecoveryReadThrottler}), how much of the links both may use ({@code NodeShaper}),
 * and the check of replicas that failed as sources. {@code docs/architecture.md} tells what happens when a source dies.
 *
 * <p>The names around a transfer, from the outside to the inside:
 * <ul>
 * <li>{@code TransferService} has the transfers' threads and their timer. It is all that the agent talks to.
 * <li>{@code TransferRegistry} knows all transfers: which are granted, run or have ended. It has no thread.
 * <li>{@code PoolTransfers} is its part for one block pool, so for one nameservice.
 * <li>{@code TransferHandle} is what the registry needs of one transfer; fault sequences have one of their own.
 * <li>{@code Transfer} is the real one: a thread that makes one replica.
 * <li>{@code TransferState} decides what one transfer does next, by its grant and its lease. It does nothing itself.
 * <li>{@code TransferControl} has the transfer's threads wait until its state lets them go on.
 * <li>{@code ReplicaContent} is where the bytes come from: {@code PulledBlock} copies, {@code RebuiltBlock} decodes.
 * </ul>
 *
 * <p>May import {@code io.dayu.conf}, {@code io.dayu.protocol} and Hadoop, what is package-private there through
 * {@code DataNodeAccess} only. Knows neither NameNodes nor meters: {@code io.dayu.datanode} hands in grants and
 * readings.
 */
package io.dayu.datanode.transfer;
