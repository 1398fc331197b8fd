/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.web;

import io.dayu.admin.AdminCaller;
import io.dayu.admin.AdminException;
import io.dayu.admin.ExitCode;
import io.dayu.protocol.PrintableText;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeys;
import org.apache.hadoop.security.SaslRpcServer.AuthMethod;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.authentication.server.AuthenticationToken;
import org.apache.hadoop.security.authentication.server.KerberosAuthenticationHandler;
import org.apache.hadoop.security.authentication.server.PseudoAuthenticationHandler;

import java.net.InetAddress;
import java.net.URLDecoder;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import javax.servlet.ServletRequest;
import javax.servlet.ServletRequestWrapper;
import javax.servlet.http.HttpServletRequest;

/** Who sends a request of the web page, as the filters of the HTTP server have found out. No state. */
final class RequestCaller {
  private static final int MAX_NAME_LENGTH = 256;

  private RequestCaller() {
  }

  /**
   * The user that the HTTP server has authenticated; without authentication the user that the request names, as for
   * WebHDFS.
   *
   * @param conf of the HTTP server
   * @throws AdminException if neither is known, or the name is none
   */
  static AdminCaller of(HttpServletRequest request, Configuration conf) throws AdminException {
    String named = isNobody(request, conf) ? queryParameter(request, "user.name") : null;
    String user = named == null || named.isEmpty() ? request.getRemoteUser() : named;
    if (user == null) {
      throw new AdminException(ExitCode.PERMISSION, "it is not known who asks; name an HDFS superuser by ?user.name=");
    }
    String type = request.getAuthType() == null ? "" : request.getAuthType();
    boolean authenticated = !type.isEmpty() && !type.startsWith(PseudoAuthenticationHandler.TYPE);
    AuthMethod method = type.startsWith(KerberosAuthenticationHandler.TYPE) ? AuthMethod.KERBEROS : AuthMethod.SIMPLE;
    String real = realUser(request);
    checkName(user);
    try {
      UserGroupInformation caller = UserGroupInformation.createRemoteUser(real == null ? user : real, method);
      return new AdminCaller(
          real == null || real.equals(user) ? caller : UserGroupInformation.createProxyUser(user, caller),
          address(request), authenticated);
    } catch (IllegalArgumentException e) {
      // It looks like a principal, and the rules of hadoop.security.auth_to_local do not take it.
      throw new AdminException(ExitCode.REFUSED, "'" + user + "' is no name of a user");
    }
  }

  /** Whether the HTTP server authenticates nobody, so that users name themselves. */
  static boolean isNobody(HttpServletRequest request, Configuration conf) {
    String user = request.getRemoteUser();
    return !UserGroupInformation.isSecurityEnabled() && (user == null
        || user.equals(conf.get(CommonConfigurationKeys.HADOOP_HTTP_STATIC_USER,
            CommonConfigurationKeys.DEFAULT_HADOOP_HTTP_STATIC_USER)));
  }

  /**
   * The authenticated user, who may act for another one; null without authentication. Hadoop's filter for {@code doAs}
   * wraps the request of the real user into one of the other user.
   */
  private static String realUser(HttpServletRequest request) {
    ServletRequest inner = request;
    while (inner instanceof HttpServletRequest http) {
      if (http.getUserPrincipal() instanceof AuthenticationToken token) {
        return token.getUserName();
      }
      inner = inner instanceof ServletRequestWrapper wrapper ? wrapper.getRequest() : null;
    }
    return null;
  }

  private static void checkName(String name) throws AdminException {
    if (name.isBlank() || name.length() > MAX_NAME_LENGTH || !PrintableText.is(name)) {
      throw new AdminException(ExitCode.REFUSED, "a user's name is printable and has 1 to " + MAX_NAME_LENGTH
          + " characters");
    }
  }

  private static InetAddress address(HttpServletRequest request) {
    try {
      return InetAddress.getByName(request.getRemoteAddr());
    } catch (UnknownHostException e) {
      return null;
    }
  }

  /**
   * A parameter of the query string, or null if it has none that can be decoded. {@code getParameter} would read the
   * body as well if that is declared as a form, as {@code curl -d} does, and the command's argument would be lost.
   */
  private static String queryParameter(HttpServletRequest request, String name) {
    String query = request.getQueryString() == null ? "" : request.getQueryString();
    for (String parameter : query.split("&")) {
      String[] sides = parameter.split("=", 2);
      if (sides.length == 2 && sides[0].equals(name)) {
        try {
          return URLDecoder.decode(sides[1], StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
          return null;
        }
      }
    }
    return null;
  }
}
