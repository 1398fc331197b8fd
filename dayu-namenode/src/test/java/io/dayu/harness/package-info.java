/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
/**
 * An embedded HDFS cluster with Dayu's plugins, one-line faults, and a verifier of what must hold after each of them.
 *
 * <p>Published as the test jar of {@code dayu-namenode}, so that people with their own HDFS builds can run the same
 * checks. May import Hadoop and its test jars; knows the plugins by class name only.
 */
package io.dayu.harness;
