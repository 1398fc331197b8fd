/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hadooptests;

import io.dayu.harness.ClusterBuilder;
import io.dayu.harness.MachineCheck;
import io.dayu.harness.TestOption;
import org.apache.hadoop.hdfs.MiniDFSCluster;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

/**
 * Runs test classes of Hadoop's, each in a JVM of its own, as they are and with Dayu's plugins in every cluster that
 * they start, and prints what differs. A class with a test that does not pass in both is run three times on both sides.
 * Ends with exit code 1 unless the {@link HadoopTestsVerdict} is good. Single-threaded.
 */
public final class HadoopTests {
  private static final List<String> ALL = List.of("TestReplication", "TestBlockManager", "TestUnderReplicatedBlocks",
      "TestPendingReconstruction", "TestReplicationPolicy", "TestBlocksWithNotEnoughRacks", "TestOverReplicatedBlocks",
      "TestNodeCount", "TestDecommission", "TestMaintenanceState", "TestSetrepIncreasing", "TestMetaSave",
      "TestDNFencing", "TestReconstructStripedFile");
  private static final List<String> QUICK = List.of("TestNodeCount", "TestSetrepIncreasing", "TestMetaSave");
  private static final List<String> ERASURE_CODING = List.of("TestReconstructStripedFile",
      "TestReconstructStripedFileWithValidator", "TestReconstructStripedFileWithRandomECPolicy",
      "TestReconstructStripedBlocks", "TestReconstructStripedBlocksWithRackAwareness", "TestDecommissionWithStriped",
      "TestMaintenanceWithStriped", "TestErasureCodingMultipleRacks", "TestBlockTokenWithDFSStriped",
      "TestDataNodeErasureCodingMetrics", "TestLowRedundancyBlockQueues", "TestSafeModeWithStripedFile", "TestFsck");
  private static final Map<String, List<String>> LISTS =
      Map.of("", ALL, "all", ALL, "quick", QUICK, "erasure-coding", ERASURE_CODING);

  private static final String LOGGING = String.join("\n", "log4j.rootLogger=WARN,out", "log4j.logger.io.dayu=INFO",
      "log4j.appender.out=org.apache.log4j.ConsoleAppender", "log4j.appender.out.layout=org.apache.log4j.PatternLayout",
      "log4j.appender.out.layout.ConversionPattern=%d %p [%t] %c{1}: %m%n",
      System.getProperty("hadooptests.log", "").replace(',', '\n'), "");

  /** What Dayu did in a run of a class: NameNodes in which it was active, replicas copied, internal blocks rebuilt. */
  private static final class Logged {
    private int nameNodes;
    private int copied;
    private int rebuilt;
  }

  private final Path folder;
  private final HadoopTestsVerdict verdict;
  private final long limitSeconds = TestOption.count("hadooptests.limit.seconds", 900, 1);
  private final int maxRuns = TestOption.count("hadooptests.runs", 3, 1);
  private final boolean stockAlways = !"if-needed".equals(System.getProperty("hadooptests.stock"));
  private final String conf = System.getProperty("hadooptests.conf", "");

  private HadoopTests(Path folder, HadoopTestsVerdict verdict) {
    this.folder = folder;
    this.verdict = verdict;
  }

  public static void main(String[] args) throws Exception {
    String wanted = System.getProperty("hadooptests.classes", "");
    Map<String, String> classes = inTestJar(LISTS.getOrDefault(wanted, List.of(wanted.split(","))));
    HadoopTestsVerdict verdict = new HadoopTestsVerdict(KnownTests.read());
    HadoopTests tests = new HadoopTests(folder(), verdict);
    System.out.println("| class | tests | pass stock | pass with Dayu | NameNodes with Dayu | copied, rebuilt by Dayu "
        + "| seconds stock, Dayu |");
    System.out.println("|---|---|---|---|---|---|---|");
    List<String> differences = new ArrayList<>();
    for (Map.Entry<String, String> one : classes.entrySet()) {
      differences.addAll(tests.compare(one.getKey(), one.getValue()));
    }
    differences.forEach(System.out::println);
    System.out.println(verdict.summary());
    System.exit(verdict.isGood() ? 0 : 1);
  }

  /** Where clusters and logs are: below the directory of builds, if HDFS can have its clusters there. */
  private static Path folder() throws IOException {
    Path folder = Path.of(System.getProperty("test.build.data", "target/hadooptests")).toAbsolutePath();
    if (MachineCheck.canHoldDataNodes(folder)) {
      return folder;
    }
    Path other = Files.createTempDirectory("dayu-hadooptests-");
    System.out.println("Clusters and logs are in " + other + ", since DataNodes do not start in " + folder
        + ": a URI escapes a character of it.\n");
    return other;
  }

  /**
   * @param names simple names of classes, or Class#method
   * @return by name, the full names. Exits if Hadoop's test jar lacks one.
   */
  private static Map<String, String> inTestJar(List<String> names) throws Exception {
    Map<String, String> found = new LinkedHashMap<>();
    Path jar = Path.of(MiniDFSCluster.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    try (JarFile tests = new JarFile(jar.toFile())) {
      for (String name : names) {
        String file = "/" + name.split("#")[0] + ".class";
        found.put(name, tests.stream().map(JarEntry::getName).filter(entry -> entry.endsWith(file)).findFirst()
            .map(entry -> entry.substring(0, entry.length() - file.length()).replace('/', '.') + "." + name)
            .orElse(null));
      }
    }
    if (found.containsValue(null)) {
      found.values().removeIf(Objects::nonNull);
      System.err.println(jar.getFileName() + " has no " + found.keySet());
      System.exit(2);
    }
    return found;
  }

  /** Runs a class on both sides. Returns a line for each test that does not always pass on both. */
  private List<String> compare(String name, String fullName) throws Exception {
    Map<String, Side> stock = new TreeMap<>();
    Map<String, Side> dayu = new TreeMap<>();
    long startNs = System.nanoTime();
    Logged logged = run(name, fullName, 1, true, dayu);
    long betweenNs = System.nanoTime();
    long dayuPassed = passed(dayu);
    boolean withStock = stockAlways || dayu.isEmpty() || dayuPassed < dayu.size();
    if (withStock) {
      run(name, fullName, 1, false, stock);
    }
    long endNs = System.nanoTime();
    long stockPassed = passed(stock);
    for (int i = 2; i <= maxRuns && passed(stock) + passed(dayu) < stock.size() + dayu.size(); i++) {
      run(name, fullName, i, true, dayu);
      run(name, fullName, i, false, stock);
    }
    System.out.printf("| %s | %d | %s | %d | %d | %d, %d | %d, %d |%n", name, dayu.size(),
        withStock ? stockPassed : "not run", dayuPassed, logged.nameNodes, logged.copied, logged.rebuilt,
        TimeUnit.NANOSECONDS.toSeconds(endNs - betweenNs), TimeUnit.NANOSECONDS.toSeconds(betweenNs - startNs));
    return verdict.add(name, stock, dayu, folder);
  }

  private static long passed(Map<String, Side> results) {
    return results.values().stream().filter(Side::alwaysPassed).count();
  }

  /** Runs a class once and adds the outcomes of its tests. Returns what Dayu did by the log. */
  private Logged run(String name, String fullName, int number, boolean withDayu, Map<String, Side> results)
      throws Exception {
    // In a path that is made a URI, # would begin a fragment, and some clusters would not start.
    Path work = folder.resolve(name.replace('#', '.') + (withDayu ? "-dayu" : "-stock"));
    Path conf = Files.createDirectories(work.resolve("conf"));
    Files.writeString(conf.resolve("hdfs-site.xml"), site(withDayu));
    Files.writeString(conf.resolve("log4j.properties"), LOGGING);
    Path lines = work.resolve("tests.txt");
    Files.deleteIfExists(lines);
    File log = work.resolve("log-" + number + ".txt").toFile();
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of(System.getProperty("hadooptests.test.jvm.args", "").trim().split("\\s+")));
    command.addAll(List.of("-Dtest.build.data=" + work.resolve("data"), "-Dtest.build.dir=" + work, "-classpath",
        conf + File.pathSeparator + System.getProperty("java.class.path"), ClassRun.class.getName(), fullName,
        lines.toString()));
    Process test =
        new ProcessBuilder(command).directory(work.toFile()).redirectErrorStream(true).redirectOutput(log).start();
    Thread end = new Thread(test::destroyForcibly, "hadoop-tests-end");
    Runtime.getRuntime().addShutdownHook(end);
    boolean ended = test.waitFor(limitSeconds, TimeUnit.SECONDS);
    if (!ended) {
      test.destroyForcibly().waitFor();
    }
    Runtime.getRuntime().removeShutdownHook(end);
    read(lines, ended ? "" : "did not end within " + limitSeconds + " s", results);
    return readLog(log.toPath());
  }

  /** @throws IllegalStateException if Dayu declined to start */
  private static Logged readLog(Path log) throws IOException {
    Logged logged = new Logged();
    try (BufferedReader lines = Files.newBufferedReader(log, StandardCharsets.ISO_8859_1)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.contains("NameNodeRuntime: Dayu ") && line.contains(" active")) {
          if (line.contains("NOT active")) {
            throw new IllegalStateException(line);
          }
          logged.nameNodes++;
        } else if (line.contains("Transfer: Received ") && line.endsWith(" for Dayu")) {
          // A rebuild names the index of each of its sources.
          if (line.contains(", index ")) {
            logged.rebuilt++;
          } else {
            logged.copied++;
          }
        }
      }
    }
    return logged;
  }

  private static void read(Path lines, String cutOff, Map<String, Side> results) throws IOException {
    Map<String, String> now = new LinkedHashMap<>();
    for (String line : Files.exists(lines) ? Files.readAllLines(lines) : List.<String>of()) {
      String[] parts = line.split("\t", 3);
      switch (parts[0]) {
        case "passed" -> now.put(parts[1], "");
        case "failed" -> now.put(parts[1], parts[2]);
        case "skipped" -> now.remove(parts[1]);
        default -> now.put(parts[1], "begun and not ended " + cutOff);
      }
    }
    now.forEach((test, failure) -> results.put(test, results.getOrDefault(test, Side.NOT_RUN).and(failure)));
  }

  private String site(boolean withDayu) {
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put("dfs.namenode.fs-limits.min-block-size", "0");
    if (withDayu) {
      settings.put("dfs.namenode.plugins", ClusterBuilder.NAMENODE_PLUGIN);
      settings.put("dfs.datanode.plugins", ClusterBuilder.DATANODE_PLUGIN);
      settings.put("dayu.timeslot.interval", "1s");
      for (String setting : conf.isEmpty() ? new String[0] : conf.split(";")) {
        String[] parts = setting.split("=", 2);
        if (parts.length < 2) {
          System.err.println("hadooptests.conf: '" + setting + "' is not KEY=VALUE");
          System.exit(2);
        }
        settings.put(parts[0].trim(), parts[1].trim());
      }
    }
    StringBuilder xml = new StringBuilder("<configuration>\n");
    settings.forEach((key, value) -> xml.append("<property><name>").append(key).append("</name><value>").append(value)
        .append("</value></property>\n"));
    return xml.append("</configuration>\n").toString();
  }

}
