/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
/**
 * The web page {@code /dayu/} on the NameNode's own HTTP server, and the JSON that it reads. What it steers,
 * {@code io.dayu.namenode.admin} does.
 *
 * <p>May import Hadoop's HTTP server, Jackson, and of ours only {@code io.dayu.admin}.
 */
package io.dayu.web;
