/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
/**
 * The commands of an admin, as the NameNode takes them: their names, the check of rights, requests and answers. What
 * they do is in {@code io.dayu.namenode.admin}, behind {@link io.dayu.admin.AdminOperations}; their client is
 * {@code io.dayu.cli}.
 *
 * <p>May import Hadoop's RPC and Jackson, which Hadoop has on its class path, and nothing of ours.
 */
package io.dayu.admin;
