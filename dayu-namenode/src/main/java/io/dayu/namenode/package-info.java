/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
/**
 * The plugin on the NameNode: its entry class, and {@code NameNodeRuntime}, which starts and stops everything else.
 *
 * <p>May import everything of ours but the agent; reaches Hadoop's package-private members only through the
 * {@code *Access} classes in Hadoop's packages. No other package knows this one. From top to bottom, the packages below
 * it are {@code admin}, {@code monitor}, {@code loop}, {@code recording}, {@code planning} beside {@code cluster},
 * {@code transfers}, and {@code agents}, {@code status} and {@code journal}. {@code docs/architecture.md} says which
 * thread may touch which class, and what happens when a source dies.
 */
package io.dayu.namenode;
