/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
/**
 * What admins' commands and the web page do on this NameNode: change and show, explain a block, plan without effect
 * ({@code DryRun}, {@code ShadowPlanner}), and ask the other NameNodes for what was changed there.
 *
 * <p>May import all packages of ours below {@code io.dayu.namenode}, {@code io.dayu.admin} and {@code io.dayu.web}.
 * Only the plugin's runtime knows it.
 */
package io.dayu.namenode.admin;
