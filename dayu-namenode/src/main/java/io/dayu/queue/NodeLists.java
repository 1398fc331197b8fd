/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.queue;

import java.util.Arrays;
import java.util.List;

/**
 * Doubly linked lists of numbers, one for each class and node. A number, here called a link, is in one list at most.
 * Nothing is allocated for a link that is added or removed. Not thread-safe.
 */
final class NodeLists {
  private static final int NONE = -1;
  /** Instead of the link before: the link is in no list. */
  private static final int UNLINKED = -2;

  /** By link: the ones after and before it in its list, or NONE. */
  private int[] neighbors;
  /** By class and node: the ends of the list; null for a class that never had a link. */
  private final int[][] head;
  private final int[][] tail;
  /** How many links the list has. */
  private final int[][] length;

  NodeLists(int classes, int links) {
    neighbors = new int[2 * links];
    head = new int[classes][];
    tail = new int[classes][];
    length = new int[classes][];
  }

  private static int next(int link) {
    return 2 * link;
  }

  private static int previous(int link) {
    return 2 * link + 1;
  }

  int classes() {
    return head.length;
  }

  /** Makes room for links up to this number; the further ones have yet to be {@link #setUnlinked}. */
  void grow(int links) {
    neighbors = Arrays.copyOf(neighbors, 2 * links);
  }

  /**
   * Gives the links of rows that have moved their new numbers, and makes room for no more than these.
   *
   * @param moved by former row its new one; below 0 for one that is gone, whose links are in no list
   * @param linksPerRow link {@code linksPerRow * row + i} is the row's i-th
   * @param links number of links to make room for
   */
  void renumber(int[] moved, int linksPerRow, int links) {
    int[] neighborsBefore = neighbors;
    neighbors = new int[2 * links];
    for (int row = 0; row < moved.length; row++) {
      for (int i = 0; moved[row] >= 0 && i < linksPerRow; i++) {
        int before = linksPerRow * row + i;
        int link = linksPerRow * moved[row] + i;
        boolean linked = neighborsBefore[previous(before)] != UNLINKED;
        neighbors[previous(link)] = linked ? moved(neighborsBefore[previous(before)], moved, linksPerRow) : UNLINKED;
        neighbors[next(link)] = linked ? moved(neighborsBefore[next(before)], moved, linksPerRow) : NONE;
      }
    }
    for (int[][] ends : List.of(head, tail)) {
      for (int[] lists : ends) {
        for (int node = 0; lists != null && node < lists.length; node++) {
          lists[node] = moved(lists[node], moved, linksPerRow);
        }
      }
    }
  }

  private static int moved(int link, int[] moved, int linksPerRow) {
    return link == NONE ? NONE : linksPerRow * moved[link / linksPerRow] + link % linksPerRow;
  }

  /** Empties all lists; links have to be {@link #setUnlinked} before they are used again. */
  void clear() {
    Arrays.fill(head, null);
    Arrays.fill(tail, null);
    Arrays.fill(length, null);
  }

  /** Says of a new link that it is in no list. */
  void setUnlinked(int link) {
    neighbors[previous(link)] = UNLINKED;
  }

  boolean isLinked(int link) {
    return neighbors[previous(link)] != UNLINKED;
  }

  /** Whether the class has ever had a link since the last {@link #clear}. */
  boolean exists(int listClass) {
    return head[listClass] != null;
  }

  /** The first link of a list, or -1. */
  int first(int listClass, int node) {
    int[] lists = head[listClass];
    return lists == null || node >= lists.length ? NONE : lists[node];
  }

  /** Number of links of a list. */
  int length(int listClass, int node) {
    int[] lists = length[listClass];
    return lists == null || node >= lists.length ? 0 : lists[node];
  }

  /**
   * Puts a link at the end of a list.
   *
   * @param nodes number of nodes to make room for
   */
  void append(int link, int listClass, int node, int nodes) {
    if (head[listClass] == null || head[listClass].length <= node) {
      head[listClass] = longer(head[listClass], nodes);
      tail[listClass] = longer(tail[listClass], nodes);
      length[listClass] =
          length[listClass] == null ? new int[nodes] : Arrays.copyOf(length[listClass], nodes);
    }
    length[listClass][node]++;
    int last = tail[listClass][node];
    neighbors[previous(link)] = last;
    neighbors[next(link)] = NONE;
    tail[listClass][node] = link;
    if (last == NONE) {
      head[listClass][node] = link;
    } else {
      neighbors[next(last)] = link;
    }
  }

  private static int[] longer(int[] ends, int nodes) {
    int before = ends == null ? 0 : ends.length;
    int[] longer = ends == null ? new int[nodes] : Arrays.copyOf(ends, nodes);
    Arrays.fill(longer, before, nodes, NONE);
    return longer;
  }

  /** Takes a link off the list that it is in. */
  void remove(int link, int listClass, int node) {
    int before = neighbors[previous(link)];
    int after = neighbors[next(link)];
    if (before == NONE) {
      head[listClass][node] = after;
    } else {
      neighbors[next(before)] = after;
    }
    if (after == NONE) {
      tail[listClass][node] = before;
    } else {
      neighbors[previous(after)] = before;
    }
    neighbors[previous(link)] = UNLINKED;
    length[listClass][node]--;
  }
}
