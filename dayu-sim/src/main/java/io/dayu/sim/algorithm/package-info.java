/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
/**
 * What {@code recover --algorithm} can run: the product, the paper's variants of it, stock HDFS, and what other jars
 * provide. {@code Algorithms} lists them all.
 *
 * <p>May import {@code io.dayu.sim}, {@code engine} and {@code rival}, the core ({@code io.dayu.model}, {@code
 * io.dayu.schedule}) and {@code io.dayu.conf}.
 */
package io.dayu.sim.algorithm;
