/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
/**
 * The main job, shown and compared with stock HDFS: {@code mvn -Pdemo} kills the same DataNode of an embedded cluster
 * under Dayu and under two settings of stock HDFS, shows the recovery, and compares times and what clients noticed; as
 * a control also where nobody recovers.
 *
 * <p>May import the harness, Hadoop, Jackson from Hadoop's class path and Lets-Plot; learns of the plugins by JMX and
 * their web page only, as an admin does.
 */
package io.dayu.demo;
