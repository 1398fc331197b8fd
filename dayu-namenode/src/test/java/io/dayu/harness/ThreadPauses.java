/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness;

import net.bytebuddy.ByteBuddy;
import net.bytebuddy.agent.ByteBuddyAgent;
import net.bytebuddy.agent.builder.AgentBuilder;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.dynamic.scaffold.TypeValidation;
import net.bytebuddy.matcher.ElementMatcher;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;

import static net.bytebuddy.matcher.ElementMatchers.isAbstract;
import static net.bytebuddy.matcher.ElementMatchers.isInterface;
import static net.bytebuddy.matcher.ElementMatchers.isMethod;
import static net.bytebuddy.matcher.ElementMatchers.isNative;
import static net.bytebuddy.matcher.ElementMatchers.nameContains;
import static net.bytebuddy.matcher.ElementMatchers.nameStartsWith;
import static net.bytebuddy.matcher.ElementMatchers.named;
import static net.bytebuddy.matcher.ElementMatchers.none;
import static net.bytebuddy.matcher.ElementMatchers.not;

/**
 * Lets single threads stand still, those of HDFS, of Dayu and of the test, as a busy machine does: a test that takes
 * the order or the time of two threads' work for granted fails then. On demand only (docs/developing.md has the
 * command): {@code -Dtest.pauses} is the mean time between two pauses of any thread of this JVM, in milliseconds. A
 * pause takes up to 2.5 s and begins where a method does, with whatever locks the thread has. Methods that are called
 * seldom are as likely to be met as others. Thread-safe.
 */
public final class ThreadPauses implements BeforeAllCallback {
  private static final double MIN_MS = 50;
  private static final double MAX_MS = 2_500;
  private static final int METHODS = 1 << 16;
  /** So many calls of a method are as good as the first. */
  private static final int CALLS = 20;
  private static final long MEAN_GAP_NS = TimeUnit.MILLISECONDS.toNanos(TestOption.count("test.pauses", 0, 0));
  private static final long SEED = TestOption.seed("test.pauses.seed", 1);
  private static final Random RANDOM = new Random(SEED);
  private static final AtomicIntegerArray CALLED = new AtomicIntegerArray(METHODS);

  private static volatile long nextNs = System.nanoTime();
  private static boolean installed;

  /** What each method begins with. */
  static final class Entry {
    private Entry() {
    }

    @Advice.OnMethodEnter(suppress = Throwable.class)
    static void enter(@Advice.Origin("#t.#m") String method) {
      ThreadPauses.entered(method);
    }
  }

  /** Called by each method that may stand still. */
  public static void entered(String method) {
    int calls = CALLED.incrementAndGet(method.hashCode() & METHODS - 1);
    if (System.nanoTime() - nextNs >= 0) {
      long pauseNs = pauseNs(calls);
      if (pauseNs > 0) {
        standStill(pauseNs);
      }
    }
  }

  private static synchronized long pauseNs(int calls) {
    if (System.nanoTime() - nextNs < 0 || RANDOM.nextInt(1 + calls / CALLS) != 0) {
      return 0;
    }
    nextNs = System.nanoTime() + (long) (-Math.log(1 - RANDOM.nextDouble()) * MEAN_GAP_NS);
    return (long) (MIN_MS * Math.pow(MAX_MS / MIN_MS, RANDOM.nextDouble()) * TimeUnit.MILLISECONDS.toNanos(1));
  }

  /** An interrupt is not noticed before it is over. */
  private static void standStill(long pauseNs) {
    boolean interrupted = false;
    long endNs = System.nanoTime() + pauseNs;
    for (long leftNs = pauseNs; leftNs > 0; leftNs = endNs - System.nanoTime()) {
      try {
        TimeUnit.NANOSECONDS.sleep(leftNs);
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    synchronized (ThreadPauses.class) {
      if (installed || MEAN_GAP_NS == 0) {
        return;
      }
      installed = true;
    }
    System.out.println("threads stand still, seed " + SEED);
    new AgentBuilder.Default(new ByteBuddy().with(TypeValidation.DISABLED)).disableClassFormatChanges()
        .with(AgentBuilder.RedefinitionStrategy.RETRANSFORMATION).ignore(none()).type(types())
        .transform((builder, type, loader, module, domain) -> builder.visit(Advice.to(Entry.class).on(methods())))
        .installOn(ByteBuddyAgent.install());
  }

  private static ElementMatcher.Junction<TypeDescription> types() {
    ElementMatcher.Junction<TypeDescription> some = none();
    for (String name : new String[] {"org.apache.hadoop.hdfs.", "org.apache.hadoop.ipc.", "io.dayu."}) {
      some = some.or(nameStartsWith(name));
    }
    // Messages, and what computes.
    for (String part : new String[] {"Proto", "proto.", "Mockito", "$$", "io.dayu.metrics", "io.dayu.model",
        "io.dayu.schedule", "ThreadPauses"}) {
      some = some.and(not(nameContains(part)));
    }
    return some.and(not(isInterface()));
  }

  private static ElementMatcher.Junction<MethodDescription> methods() {
    ElementMatcher.Junction<MethodDescription> some = isMethod();
    for (String prefix : new String[] {"get", "is", "compare"}) {
      some = some.and(not(nameStartsWith(prefix)));
    }
    for (String name : new String[] {"hashCode", "equals", "toString"}) {
      some = some.and(not(named(name)));
    }
    return some.and(not(isAbstract())).and(not(isNative()));
  }
}
