/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.admin;

import org.apache.hadoop.security.UserGroupInformation;

import java.net.InetAddress;

/**
 * Who gives a command. Immutable.
 *
 * @param user the caller; if it acts for another user by permission, that user with the caller as its real user
 * @param address where the command comes from; null if that is not known
 * @param authenticated whether more than the caller's word says who it is
 */
public record AdminCaller(UserGroupInformation user, InetAddress address, boolean authenticated) {
  /** The short name of the user whose rights count. */
  public String name() {
    return user.getShortUserName();
  }
}
