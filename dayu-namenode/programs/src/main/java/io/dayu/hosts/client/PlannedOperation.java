/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts.client;

import java.util.List;

/**
 * What a client is to do, and when. Immutable.
 *
 * @param number counts all operations, from 0
 * @param atNs the planned moment, counted from the beginning of the foreground
 * @param bytes how much is read or written
 * @param nodes of a read the DataNode to read from; of a write those that shall hold the replicas
 * @param choice of a read: which of the node's files is read first, as a number that is taken modulo their count
 */
record PlannedOperation(int number, OperationKind kind, long atNs, int bytes, List<Integer> nodes, int choice) {
}
