/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
/**
 * Processes that the benchmark on emulated hosts starts: clients, which load the data set and make the foreground, and
 * one that asks NameNodes over HTTP.
 *
 * <p>May import Hadoop's client, Jackson from Hadoop's class path and {@code io.dayu.harness}; knows nothing of the
 * plugins.
 */
package io.dayu.hosts.client;
