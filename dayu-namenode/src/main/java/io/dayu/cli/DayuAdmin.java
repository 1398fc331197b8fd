/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.dayu.admin.AdminClient;
import io.dayu.admin.AdminException;
import io.dayu.admin.Command;
import io.dayu.admin.ExitCode;
import io.dayu.check.GenericOptions;
import io.dayu.check.InstallationCheck;
import io.dayu.conf.Deadline;
import io.dayu.conf.Setting;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.net.NetUtils;
import org.apache.hadoop.util.Tool;

import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * {@code hdfs dayu}: reads the command line, asks the NameNodes of the nameservice, and prints their answers. Commands
 * that change something go to all of them, so that a failover does not undo them; others to the active one,
 * {@code -status} to all. Single-threaded.
 */
public final class DayuAdmin extends Configured implements Tool {
  /** Blocks of one file that are explained. */
  private static final int MAX_EXPLAINED = 20;
  /** Hadoop's options, which it takes only at the beginning of a command line. */
  private static final Set<String> GENERIC_OPTIONS = Set.of("-fs", "-conf", "-D");
  private static final String WHY_NONE_IS_ACTIVE =
      "look at hdfs haadmin -getAllServiceState and hdfs dfsadmin -safemode get";
  private static final int DEFAULT_WATCH_SEC = 2;
  private static final int MAX_WATCH_SEC = 3_600;
  private static final ObjectMapper JSON = new ObjectMapper();

  private final PrintStream out;
  private final PrintStream err;
  private final Function<Configuration, AdminClient> clients;

  public DayuAdmin(Configuration conf, PrintStream out, PrintStream err) {
    this(conf, out, err, AdminClient::new);
  }

  /** @param clients makes what asks NameNodes, by the configuration after Hadoop's generic options */
  DayuAdmin(Configuration conf, PrintStream out, PrintStream err, Function<Configuration, AdminClient> clients) {
    super(conf);
    this.out = out;
    this.err = err;
    this.clients = clients;
  }

  public static void main(String[] args) throws Exception {
    System.exit(new DayuAdmin(new HdfsConfiguration(), System.out, System.err).launch(args));
  }

  /** Runs the command line with Hadoop's generic options, such as {@code -fs}. */
  int launch(String... args) throws Exception {
    return GenericOptions.run(this, err, args);
  }

  @Override
  public int run(String[] args) {
    try {
      return run(new ArrayList<>(Arrays.asList(args))).code();
    } catch (AdminException e) {
      err.println("dayu: " + e.getMessage());
      return e.code().code();
    } catch (IOException | RuntimeException e) {
      err.println("dayu: the command failed: " + firstLine(e));
      return ExitCode.REFUSED.code();
    }
  }

  /** For people. The message of a malformed URI, say, is inside of another exception. */
  private static String firstLine(Throwable e) {
    Throwable cause = e;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    String message = cause.getMessage() == null ? cause.toString() : cause.getMessage();
    return message.lines().findFirst().orElse(cause.toString());
  }

  private ExitCode run(List<String> words) throws AdminException, IOException {
    boolean json = words.remove("-json");
    String first = words.isEmpty() ? "" : words.remove(0);
    if (first.isEmpty() || first.equals("-help") || first.equals("-h")) {
      (first.isEmpty() ? err : out).print(usage());
      return first.isEmpty() ? ExitCode.USAGE : ExitCode.DONE;
    }
    for (String word : words) {
      if (GENERIC_OPTIONS.contains(word)) {
        throw usage(word + " goes before the command, as in hdfs dayu " + word + " ... " + first);
      }
    }
    if (first.equalsIgnoreCase("-watch")) {
      return watch(words, json);
    }
    if (first.equalsIgnoreCase("-check")) {
      return check(words, json);
    }
    Command command = first.startsWith("-") ? Command.of(first) : null;
    if (command == null) {
      throw usage("there is no command " + first);
    }
    if (command == Command.DEADLINE && words.size() > 1 && !words.get(1).equals("none")) {
      words.set(1, Deadline.given(words.get(1), Instant.now()));
    }
    String argument = String.join(" ", words).trim();
    boolean lacksTime = command == Command.DEADLINE && words.size() < 2;
    if (command.arguments().startsWith("<") && argument.isEmpty() || lacksTime) {
      throw usage("-" + command.word() + " needs " + command.arguments());
    } else if (command.arguments().isEmpty() && !argument.isEmpty()) {
      throw usage("-" + command.word() + " takes no argument, but there is '" + argument + "'");
    } else if (command == Command.EXPLAIN && words.size() > 1) {
      throw usage("-explain takes one block or path, but there are " + words.size()
          + "; put a path with spaces in quotes");
    } else if (command == Command.SET && argument.indexOf('=') < 1) {
      throw usage("-set needs <key=value>, but there is '" + argument + "'");
    }
    if (command == Command.STATUS || command.changesState()) {
      return askAll(command, argument, json);
    }
    try {
      print(command, answersOfActive(command, argument), json);
    } catch (AdminException e) {
      if (json) {
        print(command, List.of(JsonNodeFactory.instance.objectNode().put("error", e.getMessage())), true);
      }
      throw e;
    }
    return ExitCode.DONE;
  }

  private List<JsonNode> answersOfActive(Command command, String argument) throws AdminException {
    AdminClient client = clients.apply(getConf());
    return command == Command.EXPLAIN && isPath(argument) ? explainFile(argument)
        : List.of(DayuAdmin.<JsonNode>askActive(getConf(), address -> client.call(address, command, argument)));
  }

  private static boolean isPath(String argument) {
    return argument.startsWith("/") || argument.contains("://");
  }

  private static AdminException usage(String what) {
    return new AdminException(ExitCode.USAGE, what + "; hdfs dayu -help lists the commands");
  }

  static String usage() {
    StringBuilder text =
        new StringBuilder("Usage: hdfs dayu [-fs hdfs://<nameservice or host:port>] <command> [-json]\n");
    for (Command command : Command.values()) {
      text.append(String.format("  -%-23s %s%n", (command.word() + " " + command.arguments()).trim(), command.help()));
    }
    text.append(String.format("  -%-23s %s%n", "check [daemon]",
        "what would keep Dayu from running on this host; asks no NameNode"));
    text.append(String.format("  -%-23s %s%n", "watch [seconds]",
        "the progress of recovery, again and again, until interrupted"));
    text.append(String.format("  -%-23s %s%n", "help", "this list"));
    text.append("-set takes\n");
    for (Setting setting : Setting.values()) {
      if (setting.live()) {
        text.append(String.format("  %-38s %s%n", setting.key(), setting.unit()));
      }
    }
    text.append("Exit codes: 0 done, 1 refused, 2 wrong command line, 3 a NameNode does not answer, 4 no superuser,\n"
        + "  5 Dayu is not active on a NameNode, 6 no NameNode is active\n");
    return text.toString();
  }

  /** Prints what every NameNode answers, and why one fails. The exit code is that of the first that failed. */
  private ExitCode askAll(Command command, String argument, boolean json) throws AdminException, IOException {
    NameNodeReplies replies = NameNodeReplies.to(command, argument, clients.apply(getConf()), NameNodes.of(getConf()));
    List<AdminException> failures = replies.failures();
    failures.forEach(failure -> err.println("dayu: " + failure.getMessage()));
    List<JsonNode> answers = replies.answers();
    if (command.changesState() && !failures.isEmpty() && !answers.isEmpty()) {
      err.println("dayu: done on " + answers.size() + " of " + (answers.size() + failures.size())
          + " NameNodes only; one that is down takes it over when it starts; for any other repeat it, or a failover "
          + "undoes it");
    } else if (command.changesState() && !answers.isEmpty()) {
      NameNodes.nameserviceOfOne(getConf()).ifPresent(service -> err.println("dayu: done on this NameNode of " + service
          + " only; -fs hdfs://" + service + " reaches all of them"));
    }
    print(command, json ? replies.toJson() : answers, json);
    ExitCode exit = failures.isEmpty() ? ExitCode.DONE : failures.get(0).code();
    if (command != Command.STATUS) {
      return exit;
    }
    // A NameNode that is down does not make the status of the active one worthless.
    boolean active = answers.stream().anyMatch(NameNodeReplies::isActive);
    if (!active && exit == ExitCode.DONE) {
      err.println("dayu: no NameNode is active: all stand by, or are in safe mode since their start; "
          + WHY_NONE_IS_ACTIVE);
      return ExitCode.STANDBY;
    }
    return active ? ExitCode.DONE : exit;
  }

  /** What one NameNode is asked. */
  private interface Question<T> {
    T ask(InetSocketAddress address) throws AdminException;
  }

  /** Asks one NameNode after the other until one is active. */
  private static <T> T askActive(Configuration conf, Question<T> question) throws AdminException {
    List<AdminException> failures = new ArrayList<>();
    for (InetSocketAddress address : NameNodes.of(conf)) {
      try {
        return question.ask(address);
      } catch (AdminException e) {
        if (e.code() != ExitCode.STANDBY && e.code() != ExitCode.UNREACHABLE && e.code() != ExitCode.NOT_ACTIVE) {
          throw e;
        }
        failures.add(e);
      }
    }
    throw noneActive(conf, failures);
  }

  /**
   * The failures of all NameNodes, in one line. A NameNode that cannot be asked may be the active one, so its code
   * takes precedence over that of a standby. If all refuse for lack of rights, the first one speaks for all.
   */
  private static AdminException noneActive(Configuration conf, List<AdminException> failures) {
    if (failures.stream().allMatch(failure -> failure.code() == ExitCode.PERMISSION)) {
      return failures.get(0);
    }
    ExitCode code = failures.stream().map(AdminException::code).filter(one -> one != ExitCode.STANDBY).findFirst()
        .orElse(ExitCode.STANDBY);
    String whatToDo = code != ExitCode.STANDBY ? ""
        : NameNodes.nameserviceOfOne(conf).map(service -> "; -fs hdfs://" + service + " finds the active one")
            .orElse("; " + WHY_NONE_IS_ACTIVE);
    return new AdminException(code,
        failures.stream().map(AdminException::getMessage).collect(Collectors.joining("; ")) + whatToDo);
  }

  private List<JsonNode> explainFile(String path) throws AdminException {
    URI uri = new Path(path).toUri();
    Configuration conf = new Configuration(getConf());
    boolean ofDefault = uri.getScheme() == null || uri.getScheme().equals("hdfs") && uri.getAuthority() == null;
    if (!ofDefault) {
      FileSystem.setDefaultUri(conf, uri);
    }
    AdminClient client = clients.apply(conf);
    List<Long> blocks = askActive(conf, address -> client.blocksOf(address, uri.getPath()));
    if (blocks.isEmpty()) {
      throw new AdminException(ExitCode.REFUSED, path + " is empty: it has no block");
    }
    // At once, since each call costs the NameNode a dry run.
    String asked = blocks.stream().limit(MAX_EXPLAINED).map(String::valueOf).collect(Collectors.joining(","));
    JsonNode answer = askActive(conf, address -> client.call(address, Command.EXPLAIN, asked));
    List<JsonNode> answers = new ArrayList<>();
    answer.path("blocks").forEach(answers::add);
    if (answers.isEmpty()) {
      answers.add(answer);
    }
    // Only now, since a failure is one line.
    if (blocks.size() > MAX_EXPLAINED) {
      err.println("dayu: " + path + " has " + blocks.size() + " blocks; explaining " + MAX_EXPLAINED
          + ", those that lack replicas first");
    }
    return answers;
  }

  private void print(Command command, List<JsonNode> answers, boolean json) throws IOException {
    boolean several = command == Command.STATUS || command.changesState() || command == Command.EXPLAIN;
    if (json) {
      ArrayNode all = JsonNodeFactory.instance.arrayNode().addAll(answers);
      out.println(JSON.writerWithDefaultPrettyPrinter().writeValueAsString(several ? all : answers.get(0)));
      return;
    }
    for (JsonNode answer : answers) {
      out.print(switch (command) {
        case STATUS -> StatusReport.text(answer);
        case NODES -> NodesReport.text(answer);
        case LEAVING -> LeavingReport.text(answer);
        case PLAN, DRY_RUN -> TransfersReport.plan(answer);
        case EXPLAIN -> TransfersReport.explanation(answer);
        case SET -> ChangeReport.setting(answer);
        case DEADLINE -> LeavingReport.given(answer);
        default -> ChangeReport.mode(answer);
      });
    }
    out.flush();
  }

  /** Prints one line every few seconds, until the process is interrupted or no NameNode is active for a minute. */
  private ExitCode watch(List<String> words, boolean json) throws AdminException, IOException {
    int seconds = DEFAULT_WATCH_SEC;
    if (!words.isEmpty()) {
      try {
        seconds = Integer.parseInt(words.get(0));
      } catch (NumberFormatException e) {
        seconds = 0;
      }
      if (seconds < 1 || seconds > MAX_WATCH_SEC || words.size() > 1) {
        throw usage("-watch takes the seconds between two looks, 1 to " + MAX_WATCH_SEC + ", but there is '"
            + String.join(" ", words) + "'");
      }
    }
    try {
      new Watch(this::activeStatus, seconds, json, out, err).run();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return ExitCode.DONE;
  }

  /** The same on a host with the DataNode's jar only, where this class is missing. */
  private ExitCode check(List<String> words, boolean json) throws AdminException {
    if (json) {
      throw usage("-check prints no JSON");
    }
    return ExitCode.of(new InstallationCheck(getConf(), out, err).check(words));
  }

  private JsonNode activeStatus() throws AdminException {
    AdminClient client = clients.apply(getConf());
    List<AdminException> failures = new ArrayList<>();
    for (InetSocketAddress address : NameNodes.of(getConf())) {
      try {
        JsonNode status = client.call(address, Command.STATUS, "");
        if (NameNodeReplies.isActive(status)) {
          return status;
        }
        failures.add(new AdminException(ExitCode.STANDBY, NetUtils.getHostPortString(address)
            + ": this NameNode is not active, or has not left safe mode since its start"));
      } catch (AdminException e) {
        failures.add(e);
      }
    }
    throw noneActive(getConf(), failures);
  }
}
