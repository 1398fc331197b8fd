/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.dayu.admin.AdminClient;
import io.dayu.admin.AdminException;
import io.dayu.admin.Command;
import io.dayu.admin.ExitCode;
import org.apache.hadoop.net.NetUtils;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

/** What the NameNodes of a nameservice replied to a command that goes to all of them. Immutable. */
record NameNodeReplies(List<Reply> replies) {

  /** One of {@code answer} and {@code failure} is null. */
  private record Reply(InetSocketAddress address, JsonNode answer, AdminException failure) {
    boolean isRefusal() {
      return failure != null && (failure.code() == ExitCode.REFUSED || failure.code() == ExitCode.PERMISSION);
    }

    boolean isFromActive() {
      return answer != null && isActive(answer);
    }

    /** The failure of a standby that was not sent the command, since the active NameNode cannot be asked. */
    Reply notChanged() {
      String name = NetUtils.getHostPortString(address);
      return failure != null ? this : new Reply(address, null, new AdminException(ExitCode.STANDBY, name
          + ": not changed: it is not active, and the active NameNode cannot be asked; hdfs dayu -fs hdfs://" + name
          + " changes it alone"));
    }

    JsonNode toJson() {
      return answer != null ? answer : JsonNodeFactory.instance.objectNode()
          .put("namenode", NetUtils.getHostPortString(address)).put("error", failure.getMessage());
    }
  }

  /**
   * Sends a command to all NameNodes. One that changes something goes to the active NameNode first, and to no other if
   * that one refuses it: a standby would accept what only the active NameNode can judge. It goes to none if a NameNode
   * that may be the active one cannot be asked. If all stand by, the first one takes the place of the active one.
   */
  static NameNodeReplies to(Command command, String argument, AdminClient client, List<InetSocketAddress> nameNodes) {
    List<Reply> replies = new ArrayList<>();
    if (!command.changesState() || nameNodes.size() == 1) {
      nameNodes.forEach(address -> replies.add(ask(client, address, command, argument)));
      return of(replies);
    }
    List<Reply> statuses = new ArrayList<>();
    nameNodes.forEach(address -> {
      Reply status = ask(client, address, Command.STATUS, "");
      statuses.add(status.isFromActive() ? 0 : statuses.size(), status);
    });
    if (statuses.stream().noneMatch(Reply::isFromActive)
        && statuses.stream().anyMatch(status -> status.failure != null)) {
      statuses.sort(Comparator.comparing(status -> status.failure == null));
      return of(statuses.stream().map(Reply::notChanged).toList());
    }
    for (Reply status : statuses) {
      // One that has no status for us would not take the command either.
      Reply reply = status.failure == null ? ask(client, status.address, command, argument) : status;
      replies.add(reply);
      if (reply.isRefusal() && status.failure == null && replies.stream().allMatch(one -> one.answer == null)) {
        break;
      }
    }
    return of(replies);
  }

  /** If all refuse it for lack of rights, the first one speaks for all. */
  private static NameNodeReplies of(List<Reply> replies) {
    boolean noRights =
        replies.stream().allMatch(reply -> reply.failure != null && reply.failure.code() == ExitCode.PERMISSION);
    return new NameNodeReplies(noRights ? List.of(replies.get(0)) : List.copyOf(replies));
  }

  private static Reply ask(AdminClient client, InetSocketAddress address, Command command, String argument) {
    try {
      return new Reply(address, client.call(address, command, argument), null);
    } catch (AdminException e) {
      return new Reply(address, null, e);
    }
  }

  /** Whether a status is of an active NameNode. */
  static boolean isActive(JsonNode status) {
    return !status.path("state").asText().equals("STANDBY");
  }

  List<JsonNode> answers() {
    return replies.stream().map(Reply::answer).filter(Objects::nonNull).toList();
  }

  List<AdminException> failures() {
    return replies.stream().map(Reply::failure).filter(Objects::nonNull).toList();
  }

  /** Each answer; for a NameNode that failed, its name and the failure. */
  List<JsonNode> toJson() {
    return replies.stream().map(Reply::toJson).toList();
  }
}
