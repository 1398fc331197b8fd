/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
/**
 * The agent in each DataNode: measures load, reports to every NameNode, and pulls blocks from stock DataNodes as the
 * active NameNode directs.
 *
 * <p>May import {@code io.dayu.conf}, {@code io.dayu.metrics}, {@code io.dayu.protocol},
 * {@code io.dayu.datanode.transfer} and Hadoop. What is package-private in Hadoop is reached through
 * {@code DataNodeAccess} only.
 */
package io.dayu.datanode;
