/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.loop;

import io.dayu.admin.AdminException;
import io.dayu.admin.ExitCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

class LoopRequestsTest {
  private final LoopRequests requests = new LoopRequests();

  private <T> CompletableFuture<T> call(Callable<T> work) {
    return CompletableFuture.supplyAsync(() -> {
      try {
        return requests.call(false, work);
      } catch (AdminException e) {
        throw new IllegalStateException(e);
      }
    });
  }

  private <T> T loopUntilDone(CompletableFuture<T> answer) throws Exception {
    while (!answer.isDone()) {
      requests.runPending();
      Thread.onSpinWait();
    }
    return answer.get();
  }

  @Test
  void work_isDoneByTheLoop_andItsResultReturned() throws Exception {
    Thread loop = Thread.currentThread();
    assertEquals(loop, loopUntilDone(call(Thread::currentThread)));
  }

  @Test
  void refusal_reachesTheCaller() {
    ExecutionException thrown = assertThrows(ExecutionException.class, () -> loopUntilDone(call(() -> {
      throw new AdminException(ExitCode.STANDBY, "not now");
    })));
    assertEquals("not now", thrown.getCause().getCause().getMessage());
  }

  @Test
  void loopThatHangs_isWaitedForAsLongAsTheCallerSays_andDoesNotDoTheWorkLater() {
    AtomicBoolean done = new AtomicBoolean();
    AdminException late = assertThrows(AdminException.class, () -> requests.call(false, () -> {
      done.set(true);
      return 1;
    }, 5));
    assertTrue(late.getMessage().contains("has not answered for 5 ms; nothing was changed"), late.getMessage());
    requests.runPending();
    assertFalse(done.get());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void loopThatHangs_isWaitedForFiveSeconds_ifTheCallerSaysNothing(boolean fromPage) throws Exception {
    Callable<Integer> work = () -> 1;
    LoopRequests waited = mock(LoopRequests.class);
    when(waited.call(fromPage, work)).thenCallRealMethod();
    when(waited.call(fromPage, work, 5_000)).thenReturn(7);
    assertEquals(7, waited.call(fromPage, work));
  }

  @Test
  void readersOfThePage_leaveRoomForCommands() throws Exception {
    ExecutorService threads = Executors.newCachedThreadPool();
    try {
      Set<String> refusals = ConcurrentHashMap.newKeySet();
      for (int i = 0; i < 100; i++) {
        threads.execute(() -> {
          try {
            requests.call(true, () -> 1);
          } catch (AdminException e) {
            refusals.add(e.getMessage());
          }
        });
      }
      while (refusals.isEmpty()) {
        Thread.onSpinWait();
      }
      assertEquals(Set.of("too many commands wait for the recovery loop; try again"), refusals);
      assertEquals(2, loopUntilDone(call(() -> 2)));
    } finally {
      threads.shutdownNow();
    }
  }
}
