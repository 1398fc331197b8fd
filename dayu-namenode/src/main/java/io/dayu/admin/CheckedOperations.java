/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.admin;

import org.apache.hadoop.security.AccessControlException;

import java.io.IOException;
import java.util.Map;

/** Carries a command out if its caller is an HDFS superuser, whichever way it came. Thread-safe. */
public final class CheckedOperations {
  private final AdminOperations operations;
  private final SuperuserCheck superuser;

  /** Throws if the caller of the present RPC or, outside of one, the present user is no superuser. */
  public interface SuperuserCheck {
    void check(String operation) throws IOException;
  }

  public CheckedOperations(AdminOperations operations, SuperuserCheck superuser) {
    this.operations = operations;
    this.superuser = superuser;
  }

  /**
   * Carries a command out.
   *
   * @param user short name of the caller, whose rights are checked
   */
  public Map<String, Object> run(Command command, String argument, String user) throws AdminException {
    check(command, user);
    return operations.run(new AdminRequest(command, argument, user));
  }

  /** Throws if the caller may not give this command. */
  public void check(Command command, String user) throws AdminException {
    try {
      superuser.check("dayu -" + command.word());
    } catch (AccessControlException e) {
      throw new AdminException(ExitCode.PERMISSION,
          user + " is no HDFS superuser; run the command as one, as for hdfs dfsadmin");
    } catch (IOException e) {
      throw new AdminException(ExitCode.REFUSED, "the rights of " + user + " could not be checked: " + e.getMessage());
    }
  }
}
