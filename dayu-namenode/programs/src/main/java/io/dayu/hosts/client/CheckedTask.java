/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts.client;

/**
 * What the clients that check contents are to do; handed over as JSON. Immutable.
 *
 * @param seed decides the contents, together with the files' names
 * @param blockBytes block size of all that is written
 * @param maxFiles how many files there are at most
 * @param maxFileBytes length of the largest replicated file; a group's data blocks may have as much each
 * @param policy with which every second file is erasure-coded; empty if none is
 */
public record CheckedTask(long seed, long blockBytes, int maxFiles, int maxFileBytes, String policy) {
}
