/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.check;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Finds the members of Hadoop that compiled classes link to and that the Hadoop at hand does not have, public ones
 * included. It reads the constant pools of the class files (JVM specification, 4.4), so no list can be incomplete. What
 * is looked up by reflection is not in them. No state.
 */
final class LinkedMembers {
  private static final String HADOOP = "org/apache/hadoop/";
  private static final int MAGIC = 0xCAFEBABE;

  /** A reference to a field, or to a method if the descriptor begins with a parenthesis. */
  private record Member(String owner, String name, String descriptor) implements Comparable<Member> {
    boolean isMethod() {
      return descriptor.startsWith("(");
    }

    @Override
    public int compareTo(Member other) {
      return (owner + name + descriptor).compareTo(other.owner + other.name + other.descriptor);
    }
  }

  private LinkedMembers() {
  }

  /**
   * @param classes a jar, or a directory with classes
   * @param loader has Hadoop and these classes
   * @return each member that is missing, or class, as it is written in Java
   */
  static Set<String> missing(Path classes, ClassLoader loader) throws IOException {
    if (Files.isDirectory(classes)) {
      return missingIn(classes, loader);
    }
    try (FileSystem jar = FileSystems.newFileSystem(classes)) {
      return missingIn(jar.getPath("/"), loader);
    }
  }

  private static Set<String> missingIn(Path root, ClassLoader loader) throws IOException {
    Set<Member> linked = new TreeSet<>();
    try (Stream<Path> files = Files.walk(root)) {
      for (Path file : files.filter(one -> one.toString().endsWith(".class")).toList()) {
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(file)))) {
          addMembers(in, linked);
        } catch (IOException | RuntimeException e) {
          throw new IOException(file + " is damaged: " + e, e);
        }
      }
    }
    Set<String> missing = new TreeSet<>();
    for (Member member : linked) {
      // Our own classes in Hadoop's packages are compiled with those that use them.
      if (member.owner.startsWith(HADOOP) && !Files.exists(root.resolve(member.owner + ".class"))) {
        addIfMissing(member, loader, missing);
      }
    }
    return missing;
  }

  private static void addIfMissing(Member member, ClassLoader loader, Set<String> missing) {
    String owner = member.owner.replace('/', '.');
    try {
      if (!has(Class.forName(owner, false, loader), member, loader)) {
        missing.add(owner.replace('$', '.') + "." + text(member, loader));
      }
    } catch (ClassNotFoundException e) {
      missing.add("class " + owner.replace('$', '.'));
    } catch (LinkageError e) {
      missing.add("class " + String.valueOf(e.getMessage()).replace('/', '.') + ", which " + owner + " needs");
    }
  }

  /**
   * Whether the JVM would find it, in the class or inherited. Reflection would load the types of all other members as
   * well, and Hadoop's class path lacks some of these.
   */
  private static boolean has(Class<?> owner, Member member, ClassLoader loader) {
    try {
      MethodHandles.Lookup lookup = MethodHandles.privateLookupIn(owner, MethodHandles.lookup());
      if (!member.isMethod()) {
        Class<?> type = MethodType.fromMethodDescriptorString("()" + member.descriptor, loader).returnType();
        return finds(() -> lookup.findGetter(owner, member.name, type))
            || finds(() -> lookup.findStaticGetter(owner, member.name, type));
      }
      MethodType type = MethodType.fromMethodDescriptorString(member.descriptor, loader);
      return member.name.equals("<init>")
          ? finds(() -> lookup.findConstructor(owner, type))
          : finds(() -> lookup.findVirtual(owner, member.name, type))
              || finds(() -> lookup.findStatic(owner, member.name, type));
    } catch (IllegalAccessException | TypeNotPresentException e) {
      return false;
    }
  }

  private interface Search {
    MethodHandle run() throws ReflectiveOperationException;
  }

  private static boolean finds(Search search) {
    try {
      search.run();
      return true;
    } catch (ReflectiveOperationException e) {
      return false;
    }
  }

  /** As {@code io.dayu.blocks.HadoopInternals} writes a member, without its class. */
  private static String text(Member member, ClassLoader loader) {
    String name = member.name.equals("<init>") ? "new" : member.name;
    try {
      return !member.isMethod() ? name
          : name + MethodType.fromMethodDescriptorString(member.descriptor, loader).parameterList().stream()
              .map(Class::getSimpleName).collect(Collectors.joining(",", "(", ")"));
    } catch (TypeNotPresentException e) {
      return name + " with " + e.typeName();
    }
  }

  /** Adds what one class file refers to. */
  private static void addMembers(DataInputStream in, Set<Member> members) throws IOException {
    if (in.readInt() != MAGIC) {
      throw new IOException("not a class file");
    }
    in.readInt();
    int count = in.readUnsignedShort();
    String[] texts = new String[count];
    int[][] references = new int[count][];
    int[] tags = new int[count];
    for (int i = 1; i < count; i++) {
      tags[i] = in.readUnsignedByte();
      switch (tags[i]) {
        case 1 -> texts[i] = in.readUTF();
        case 3, 4 -> in.readInt();
        case 5, 6 -> {
          in.readLong();
          // These take two entries.
          i++;
        }
        case 7, 8, 16, 19, 20 -> references[i] = new int[] {in.readUnsignedShort()};
        case 9, 10, 11, 12, 17, 18 -> references[i] = new int[] {in.readUnsignedShort(), in.readUnsignedShort()};
        case 15 -> references[i] = new int[] {in.readUnsignedByte(), in.readUnsignedShort()};
        default -> throw new IOException("unknown constant " + tags[i]);
      }
    }
    for (int i = 1; i < count; i++) {
      if (List.of(9, 10, 11).contains(tags[i])) {
        int[] nameAndType = references[references[i][1]];
        members.add(new Member(texts[references[references[i][0]][0]], texts[nameAndType[0]], texts[nameAndType[1]]));
      }
    }
  }
}
