/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.admin;

import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.security.UserGroupInformation;

import java.io.IOException;
import java.security.PrivilegedExceptionAction;
import java.util.Map;

/**
 * Carries a command out if its caller is an HDFS superuser, whichever way it came, and records it. Commands that change
 * the state are recorded whether they are done or refused, others if their caller has no right to them. Thread-safe.
 */
public final class CheckedOperations {
  /** The maximum length of an argument. A file with a longer path has to be named by one of its blocks. */
  private static final int MAX_ARGUMENT = 4_096;

  private final AdminOperations operations;
  private final SuperuserCheck superuser;
  private final AdminAudit audit;

  /** Throws if the present user is no superuser. */
  public interface SuperuserCheck {
    void check() throws IOException;
  }

  /** The argument of a command. */
  public interface Argument {
    String read() throws AdminException, IOException;
  }

  /** What a command does once its caller's rights have been checked. */
  public interface Work<T> {
    T run(String argument) throws AdminException;
  }

  public CheckedOperations(AdminOperations operations, SuperuserCheck superuser, AdminAudit audit) {
    this.operations = operations;
    this.superuser = superuser;
    this.audit = audit;
  }

  /** Carries a command out. */
  public Map<String, Object> run(Command command, String argument, AdminCaller caller) throws AdminException {
    return run(command, () -> argument, caller,
        given -> operations.run(new AdminRequest(command, given, caller.name())));
  }

  /**
   * Does {@code work} for a command.
   *
   * @param argument is read once the caller's rights have been checked
   */
  public <T> T run(Command command, Argument argument, AdminCaller caller, Work<T> work) throws AdminException {
    String given = "";
    try {
      check(caller);
      given = argument.read();
      if (given.length() > MAX_ARGUMENT) {
        throw new AdminException(ExitCode.REFUSED, "the argument is longer than " + MAX_ARGUMENT + " characters");
      }
      T done = work.run(given);
      if (command.changesState()) {
        audit.record(caller, command, given, null);
      }
      return done;
    } catch (AdminException e) {
      if (command.changesState() || e.code() == ExitCode.PERMISSION) {
        audit.record(caller, command, given, e.getMessage());
      }
      throw e;
    } catch (IOException e) {
      String reason = "the argument could not be read: " + e.getMessage();
      if (command.changesState()) {
        audit.record(caller, command, given, reason);
      }
      throw new AdminException(ExitCode.REFUSED, reason);
    } catch (RuntimeException e) {
      if (command.changesState()) {
        audit.record(caller, command, given, e.toString());
      }
      throw e;
    }
  }

  /** Throws if the caller may give no commands. */
  public void check(AdminCaller caller) throws AdminException {
    if (UserGroupInformation.isSecurityEnabled() && !caller.authenticated()) {
      throw new AdminException(ExitCode.PERMISSION, caller.name() + " is not authenticated: the cluster uses Kerberos,"
          + " but hadoop.http.authentication.type does not; run hdfs dayu");
    }
    try {
      caller.user().doAs((PrivilegedExceptionAction<Void>) () -> {
        superuser.check();
        return null;
      });
    } catch (AccessControlException e) {
      throw new AdminException(ExitCode.PERMISSION,
          caller.name() + " is no HDFS superuser; run the command as one, as for hdfs dfsadmin");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AdminException(ExitCode.REFUSED, "the NameNode is stopping");
    } catch (IOException e) {
      throw new AdminException(ExitCode.REFUSED,
          "the rights of " + caller.name() + " could not be checked: " + e.getMessage());
    }
  }
}
