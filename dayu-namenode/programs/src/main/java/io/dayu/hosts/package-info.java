/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
/**
 * The benchmark on emulated hosts: {@code mvn -Phosts} runs every daemon as a process in a network namespace of its
 * own, with its own jar only, makes a fault happen under foreground load, and holds the recovery against that of stock
 * HDFS and against a run in which nobody recovers.
 *
 * <p>May import the harness, Hadoop's configuration and Jackson from Hadoop's class path; learns of the plugins by
 * their jars and settings only, as an admin does.
 */
package io.dayu.hosts;
