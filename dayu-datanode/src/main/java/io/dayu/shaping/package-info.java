/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
/**
 * The rules by which an agent lets recovery use its links, without threads and clocks: how much of the past counts, and
 * how many transfers run. The simulator runs them on simulated time.
 *
 * <p>May import {@code java.util} and {@code io.dayu.conf} only: no Hadoop class, thread, clock or logger.
 */
package io.dayu.shaping;
