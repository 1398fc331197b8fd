/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.agents;

import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.UserGroupInformation.AuthenticationMethod;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

/** Which callers are DataNodes. */
class CallerCheckTest {
  private static UserGroupInformation caller(String name, AuthenticationMethod method) {
    UserGroupInformation caller = mock(UserGroupInformation.class);
    when(caller.getUserName()).thenReturn(name);
    when(caller.getAuthenticationMethod()).thenReturn(method);
    return caller;
  }

  @ParameterizedTest
  @CsvSource({"dn/_HOST@R, dn/a.example@R", "dn/_HOST@R, dn/b.example@R", "dn/a.example@R, dn/a.example@R",
      "dn@R, dn@R", "dn/nn.example@R, dn/a.example@R"})
  void dataNodesPrincipal_isLetIn(String configured, String name) {
    assertDoesNotThrow(() -> new CallerCheck(configured).checkPrincipal(caller(name, AuthenticationMethod.KERBEROS)));
  }

  @ParameterizedTest
  @CsvSource({"dn/_HOST@R, dn@R", "dn/_HOST@R, dn/@R", "dn/_HOST@R, nn/a@R", "dn/_HOST@R, dn/a@S", "dn/_HOST@R, dn/a",
      "dn/a@R, nn/a@R", "dn/a@R, dn/a@S", "dn/a@R, dn@R",
      "dn@R, dn/a@R", "dn/_HOST@R, ''", ", dn/a@R"})
  void otherPrincipal_isRefused(String configured, String name) {
    assertThrows(AccessControlException.class,
        () -> new CallerCheck(configured).checkPrincipal(caller(name, AuthenticationMethod.KERBEROS)));
  }

  @Test
  void proxyUserAndToken_areRefused() {
    CallerCheck check = new CallerCheck("dn/_HOST@R");
    for (AuthenticationMethod method : new AuthenticationMethod[] {AuthenticationMethod.PROXY,
        AuthenticationMethod.TOKEN, AuthenticationMethod.SIMPLE}) {
      assertThrows(AccessControlException.class, () -> check.checkPrincipal(caller("dn/a@R", method)));
    }
    assertThrows(AccessControlException.class, () -> check.checkPrincipal(null));
  }

  @Test
  void otherAddress_isRefused() {
    assertDoesNotThrow(() -> CallerCheck.checkAddress("u", "10.0.0.1", "10.0.0.1"));
    assertThrows(AccessControlException.class, () -> CallerCheck.checkAddress("u", "10.0.0.1", "10.0.0.2"));
    assertThrows(AccessControlException.class, () -> CallerCheck.checkAddress("u", "10.0.0.1", null));
  }
}
