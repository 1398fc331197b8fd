/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
/**
 * What commands have found, as text, JSON, CSV, plots and pages, and the files that it goes to.
 *
 * <p>May import {@code options} for bad input, {@code io.dayu.sim}, {@code placement}, {@code engine},
 * {@code experiment}, {@code plot}, {@code replay} and {@code tune}, the core, {@code io.dayu.conf},
 * {@code io.dayu.journal}, Guava and Jackson. Only {@code cli} knows it.
 */
package io.dayu.sim.cli.report;
