/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
/**
 * Foreground load on a {@link io.dayu.harness.DayuCluster}: clients that read and write at planned moments, whatever
 * the cluster makes of it, and how long each operation took. May import Hadoop's client, the harness around it and
 * HdrHistogram.
 */
package io.dayu.harness.load;
