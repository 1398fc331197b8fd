/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
/**
 * What the scheduler sees of the cluster, and what it answers: plain arrays over dense node ids, no live object of
 * HDFS. And what all packages of the core build on arrays with: rows ({@code IntRows}) and a heap ({@code IdHeap}).
 *
 * <p>May import {@code java.util} only: no Hadoop class, thread, clock, logger or source of randomness.
 */
package io.dayu.model;
