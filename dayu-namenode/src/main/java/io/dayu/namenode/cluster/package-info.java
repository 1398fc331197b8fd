/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
/**
 * The live DataNodes as plans and admins see them: the loads that are to be expected, links that are slower than their
 * agents say, and what stock HDFS reconstructs.
 *
 * <p>May import {@code transfers}, {@code agents} and {@code exchange}, {@code io.dayu.schedule} for its forecasts,
 * {@code io.dayu.blocks} and {@code io.dayu.conf}. Does not know {@code planning}.
 */
package io.dayu.namenode.cluster;
