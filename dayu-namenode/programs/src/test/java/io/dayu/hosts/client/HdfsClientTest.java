/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts.client;

import org.apache.hadoop.ipc.RemoteException;
import org.apache.hadoop.ipc.RetriableException;
import org.apache.hadoop.security.AccessControlException;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.net.ConnectException;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Which answers of a NameNode mean that it is still starting. */
class HdfsClientTest {

  @Test
  void isStarting_whileTheNameNodeDoesNotListen() {
    assertTrue(HdfsClient.isStarting(new ConnectException("Connection refused")));
  }

  @Test
  void isStarting_whileTheNameNodeListensButHasNotStarted() {
    assertTrue(HdfsClient.isStarting(
        new RemoteException(RetriableException.class.getName(), "NameNode still not started")));
  }

  @Test
  void isStarting_isFalse_forAnyOtherError() {
    assertFalse(HdfsClient.isStarting(new RemoteException(AccessControlException.class.getName(), "denied")));
    assertFalse(HdfsClient.isStarting(new IOException("no route")));
  }
}
