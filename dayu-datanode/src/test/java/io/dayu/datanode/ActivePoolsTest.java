/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode;

import io.dayu.datanode.ActivePools.Shares;
import org.junit.jupiter.api.Test;

import java.util.Set;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;

class ActivePoolsTest {
  private final ActivePools pools = new ActivePools();

  @Test
  void poolThatIsAlone_hasTheNodeForItself() {
    assertEquals(Shares.SOLE, pools.shares("a", Set.of(), Set.of(), 0));
    assertEquals(Shares.SOLE, pools.shares("a", Set.of("a"), Set.of("a"), 0));
  }

  @Test
  void poolThatIsOnlyServed_takesNothingOfWhatTheNodeReceives() {
    Set<String> receiving = Set.of("target");
    Set<String> serving = Set.of("source");
    assertEquals(new Shares(1, 2), pools.shares("target", receiving, serving, 0));
    assertEquals(new Shares(2, 2), pools.shares("source", receiving, serving, 0),
        "the other one may read here soon");
  }

  @Test
  void threePools_haveAThirdWhereAllAreAtWork_howeverMuchEachHasToDo() {
    Set<String> receiving = Set.of("a", "b", "c");
    Set<String> serving = Set.of("a", "b");
    for (String pool : receiving) {
      assertEquals(new Shares(3, 3), pools.shares(pool, receiving, serving, 0));
    }
    assertEquals(new Shares(4, 4), pools.shares("idle", receiving, serving, 0), "its share if it begins now");
  }

  @Test
  void poolThatReceivesNothingForAMoment_keepsItsShareForSomeSeconds() {
    assertEquals(new Shares(2, 2), pools.shares("a", Set.of("a", "b"), Set.of(), 0));
    assertEquals(new Shares(2, 2), pools.shares("a", Set.of("a"), Set.of(), TimeUnit.SECONDS.toNanos(4)));
    assertEquals(Shares.SOLE, pools.shares("a", Set.of("a"), Set.of(), TimeUnit.SECONDS.toNanos(6)));
  }
}
