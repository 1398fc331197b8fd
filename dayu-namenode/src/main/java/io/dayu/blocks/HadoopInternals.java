/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.blocks;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A list of members of Hadoop that are not part of its public interface, checked before anything relies on them. If
 * Hadoop has changed, the admin sees one clear line at the start instead of a NoSuchMethodError during a recovery. Not
 * thread-safe.
 */
public final class HadoopInternals {
  private record Member(Class<?> owner, String name, Class<?>... parameters) {
    @Override
    public String toString() {
      return owner.getName() + "." + name + (parameters == null ? ""
          : Arrays.stream(parameters).map(Class::getSimpleName).collect(Collectors.joining(",", "(", ")")));
    }
  }

  private final List<Member> members = new ArrayList<>();

  /** Requires a method, of any visibility, declared by {@code owner} or inherited. */
  public HadoopInternals method(Class<?> owner, String name, Class<?>... parameters) {
    members.add(new Member(owner, name, parameters));
    return this;
  }

  /** Requires a field, of any visibility, declared by {@code owner}. */
  public HadoopInternals field(Class<?> owner, String name) {
    members.add(new Member(owner, name, (Class<?>[]) null));
    return this;
  }

  /** Throws if any required member is missing; the message names all that are. */
  public void check() throws IncompatibleHadoopException {
    List<String> missing = missing();
    if (!missing.isEmpty()) {
      throw new IncompatibleHadoopException("this Hadoop has no " + String.join(", no ", missing));
    }
  }

  /** The required members that this Hadoop does not have, as they are written in Java. */
  public List<String> missing() {
    return members.stream().filter(member -> member.parameters == null ? !hasField(member) : !hasMethod(member))
        .map(Member::toString).toList();
  }

  private static boolean hasField(Member member) {
    for (Field field : member.owner.getDeclaredFields()) {
      if (field.getName().equals(member.name)) {
        return true;
      }
    }
    return false;
  }

  private static boolean hasMethod(Member member) {
    for (Class<?> c = member.owner; c != null; c = c.getSuperclass()) {
      if (declares(c, member)) {
        return true;
      }
      for (Class<?> i : c.getInterfaces()) {
        if (Arrays.stream(i.getMethods()).anyMatch(m -> matches(m, member))) {
          return true;
        }
      }
    }
    return false;
  }

  private static boolean declares(Class<?> c, Member member) {
    return Arrays.stream(c.getDeclaredMethods()).anyMatch(m -> matches(m, member));
  }

  private static boolean matches(Method method, Member member) {
    return method.getName().equals(member.name) && Arrays.equals(method.getParameterTypes(), member.parameters);
  }
}
