/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts.client;

/** Kinds of operation, each with a Poisson process of its own. */
public enum OperationKind {
  /** Reads from files of the data set. */
  READ,
  /** A new file through the pipeline. */
  WRITE,
  /** A new file of a few kilobytes that is flushed to all replicas before it is closed. */
  SYNC
}
