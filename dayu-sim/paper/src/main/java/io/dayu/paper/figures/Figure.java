/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.paper.figures;

import io.dayu.sim.plot.CsvTable;

import java.util.List;
import java.util.Map;

/**
 * One figure, made. Immutable.
 *
 * @param id name of its files, such as {@code fig9a}
 * @param title what it shows
 * @param inputs what was simulated for it
 * @param table its numbers
 * @param plots SVG by name of the file without its ending
 * @param claims the paper's values beside ours
 */
public record Figure(String id, String title, String inputs, CsvTable table, Map<String, String> plots,
    List<Claim> claims) {
}
