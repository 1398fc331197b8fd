/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
/**
 * {@code hdfs dayu -check}: what would keep Dayu from running on this host, found before any daemon is started with it.
 * In both jars, since a host may have only one of them.
 *
 * <p>May import Hadoop and of ours only {@code io.dayu.conf}. What only one daemon's jar can check is a class there,
 * which is loaded by its name.
 */
package io.dayu.check;
