/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.check;

import io.dayu.conf.DayuVersion;
import io.dayu.conf.Setting;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.VersionInfo;

import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.zip.ZipFile;

/**
 * {@code hdfs dayu -check}: looks at this host's jars, Java, settings and shell profile, and asks no daemon. It prints
 * one line for each fault, or OK. Single-threaded.
 */
public final class InstallationCheck extends Configured implements Tool {
  private static final int FAULTS = 1;
  private static final int USAGE = 2;
  private static final List<Integer> TRIED_JAVA = List.of(17, 21, 25);

  /** What a daemon's own jar checks: it takes the settings, and what is to hear of each fault in one line. */
  private record DaemonCheck(Setting.Daemon daemon, String jar, String className) {
  }

  private static final List<DaemonCheck> DAEMONS = List.of(
      new DaemonCheck(Setting.Daemon.NAMENODE, "dayu-namenode", "io.dayu.namenode.NameNodeCheck"),
      new DaemonCheck(Setting.Daemon.DATANODE, "dayu-datanode", "io.dayu.datanode.DataNodeCheck"));

  private final Map<String, String> environment;
  private final ClassLoader loader;
  private final int java;
  private final PrintStream out;
  private final PrintStream err;

  /** @param conf the settings to check, as this host's files have them */
  public InstallationCheck(Configuration conf, PrintStream out, PrintStream err) {
    this(conf, System.getenv(), InstallationCheck.class.getClassLoader(), Runtime.version().feature(), out, err);
  }

  /**
   * For tests.
   *
   * @param loader has Hadoop and the jars that are installed
   * @param java the version of Java, as 17
   */
  InstallationCheck(Configuration conf, Map<String, String> environment, ClassLoader loader, int java, PrintStream out,
      PrintStream err) {
    super(conf);
    this.environment = environment;
    this.loader = loader;
    this.java = java;
    this.out = out;
    this.err = err;
  }

  /** For a host that has the DataNode's jar alone. */
  public static void main(String[] args) throws Exception {
    System.exit(GenericOptions.run(new InstallationCheck(new HdfsConfiguration(), System.out, System.err), System.err,
        args));
  }

  @Override
  public int run(String[] args) {
    if (args.length == 0 || !args[0].equals("-check")) {
      err.println("dayu: only hdfs dayu -check works on this host: Dayu's lib has no jar dayu-namenode, which has the "
          + "other commands");
      return USAGE;
    }
    return check(List.of(args).subList(1, args.length));
  }

  /**
   * @param words the daemon that is to run here, or none for those that the settings name
   * @return the exit code
   */
  public int check(List<String> words) {
    Set<Setting.Daemon> daemons = daemons(words);
    if (daemons.isEmpty()) {
      err.println("dayu: -check takes namenode, datanode or nothing, but there is '" + String.join(" ", words) + "'");
      return USAGE;
    }
    Findings found = new Findings();
    javaVersion(found);
    String version = version(found);
    String jars = jars(daemons, found);
    part("the settings", found, () -> SettingsCheck.run(getConf(), daemons, found));
    part("the addresses", found, () -> AddressCheck.run(getConf(), daemons, found));
    part("the shell profile", found, () -> shellProfile(found));
    found.faults().forEach(out::println);
    found.notes().forEach(note -> out.println("note: " + note));
    if (!found.faults().isEmpty()) {
      return FAULTS;
    }
    out.println("OK: Dayu " + version + ", " + jars + ", Hadoop " + VersionInfo.getVersion() + ", Java " + java);
    return 0;
  }

  private Set<Setting.Daemon> daemons(List<String> words) {
    return switch (String.join(" ", words).toLowerCase(Locale.ROOT)) {
      case "" -> SettingsCheck.daemons(getConf());
      case "namenode" -> EnumSet.of(Setting.Daemon.NAMENODE);
      case "datanode" -> EnumSet.of(Setting.Daemon.DATANODE);
      default -> Set.of();
    };
  }

  private void javaVersion(Findings found) {
    if (java < TRIED_JAVA.get(0)) {
      found.fault("daemons with Dayu need Java 17 or later, this is Java " + java + "; set JAVA_HOME in hadoop-env.sh");
    } else if (!TRIED_JAVA.contains(java)) {
      found.note("Dayu was tried with Java 17, 21 and 25, this is Java " + java);
    }
  }

  private static String version(Findings found) {
    try {
      return DayuVersion.only();
    } catch (IllegalStateException e) {
      found.fault(e.getMessage());
      return "";
    }
  }

  /** What breaks in one part of the check is a fault, and hides nothing that the others find. */
  private static void part(String what, Findings found, Runnable part) {
    try {
      part.run();
    } catch (LinkageError e) {
      found.fault("the check of " + what + " stopped: " + LinkageFault.text(e)
          + "; is a jar damaged, or of another version than the others?");
    } catch (RuntimeException e) {
      found.fault("the check of " + what + " stopped: " + e);
    }
  }

  /** Checks with the jars that are here, and names them. */
  private String jars(Set<Setting.Daemon> daemons, Findings found) {
    List<String> names = new ArrayList<>();
    for (DaemonCheck one : DAEMONS) {
      if (daemons.contains(one.daemon)) {
        part("the jar " + one.jar, found, () -> jar(one, names, found));
      }
    }
    if (names.isEmpty()) {
      found.fault("no jar of Dayu for these daemons is on the class path");
    }
    return String.join(" and ", names);
  }

  /** @param names to which the jar is added if it is there */
  private void jar(DaemonCheck one, List<String> names, Findings found) {
    try {
      names.add(one.jar);
      // Not initialized yet: on another Hadoop that might fail, and the links are to be named first.
      Class<?> type = Class.forName(one.className, false, loader);
      links(one, type, found);
      ownFaults(type, found);
    } catch (ClassNotFoundException e) {
      names.remove(one.jar);
      whyNotThere(one, found);
    } catch (NoClassDefFoundError e) {
      String name = String.valueOf(e.getMessage()).replace('/', '.');
      if (!name.startsWith("org.apache.hadoop.")) {
        throw e;
      }
      missing(one.daemon, "class " + name, found);
    } catch (ReflectiveOperationException e) {
      found.fault("the jar " + one.jar + " cannot be read: " + e);
    }
  }

  private void links(DaemonCheck one, Class<?> type, Findings found) {
    try {
      LinkedMembers.missing(location(type), loader).forEach(member -> missing(one.daemon, member, found));
    } catch (IOException | URISyntaxException e) {
      found.fault("the jar " + one.jar + " cannot be read: " + e.getMessage());
    }
  }

  /** Java passes over a jar on the class path that it cannot open. */
  private void whyNotThere(DaemonCheck one, Findings found) {
    for (String entry : environment.getOrDefault("CLASSPATH", "").split(File.pathSeparator)) {
      String name = entry.substring(entry.lastIndexOf('/') + 1);
      if (name.startsWith(one.jar + "-") && name.endsWith(".jar")) {
        try (ZipFile jar = new ZipFile(entry)) {
          found.fault("the jar " + jar.getName() + " lacks the class " + one.className);
        } catch (IOException e) {
          found.fault("the jar " + entry + " cannot be opened (" + e.getMessage() + "); compare it with SHA256SUMS of "
              + "the release");
        }
        return;
      }
    }
    found.note("no jar " + one.jar + " is on the class path, so nothing was checked for a " + one.daemon);
  }

  private static void missing(Setting.Daemon daemon, String member, Findings found) {
    found.fault("Hadoop " + VersionInfo.getVersion() + " has no " + member + ", which Dayu needs on a " + daemon);
  }

  private static Path location(Class<?> type) throws URISyntaxException {
    return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
  }

  @SuppressWarnings("unchecked")
  private void ownFaults(Class<?> type, Findings found) throws ReflectiveOperationException {
    ((BiConsumer<Configuration, Consumer<String>>) type.getConstructor().newInstance()).accept(getConf(), found::fault);
  }

  private void shellProfile(Findings found) {
    try {
      Path jar = location(InstallationCheck.class).toAbsolutePath();
      ShellProfileCheck.run(environment, jar.getParent().getParent(), found);
    } catch (IOException | URISyntaxException e) {
      found.fault("the shell profile cannot be read: " + e);
    }
  }
}
