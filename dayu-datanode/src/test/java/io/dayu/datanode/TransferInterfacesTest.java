/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode;

import org.junit.jupiter.api.Test;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** {@link TransferInterfaces} on a host with 10.0.0.1 on eth0 and 10.0.1.1 on eth1. */
class TransferInterfacesTest {
  private static final Map<String, String> CARRIERS = Map.of("10.0.0.1", "eth0", "10.0.1.1", "eth1", "127.0.0.1", "lo");

  private static List<String> names(List<String> named, String listens, String registered) throws UnknownHostException {
    Optional<InetAddress> known =
        registered == null ? Optional.empty() : Optional.of(InetAddress.getByName(registered));
    return new TransferInterfaces(named, InetAddress.getByName(listens), () -> known,
        address -> Optional.ofNullable(CARRIERS.get(address.getHostAddress()))).get();
  }

  @Test
  void namedInterfaces_goFirst() throws UnknownHostException {
    assertEquals(List.of("eth7"), names(List.of("eth7"), "10.0.0.1", "10.0.1.1"));
  }

  @Test
  void addressWhereTheDataNodeListens_goesBeforeTheRegisteredOne() throws UnknownHostException {
    assertEquals(List.of("eth0"), names(List.of(), "10.0.0.1", "10.0.1.1"));
  }

  @Test
  void wildcardAddress_standsForTheRegisteredOne() throws UnknownHostException {
    assertEquals(List.of("eth1"), names(List.of(), "0.0.0.0", "10.0.1.1"));
  }

  @Test
  void unknownAddress_loopback_andOneOfNoInterfaceHere_areAllInterfaces() throws UnknownHostException {
    assertEquals(List.of(), names(List.of(), "0.0.0.0", null));
    assertEquals(List.of(), names(List.of(), "0.0.0.0", "127.0.0.1"));
    assertEquals(List.of(), names(List.of(), "127.0.0.1", "10.0.1.1"));
    assertEquals(List.of(), names(List.of(), "0.0.0.0", "203.0.113.5"));
  }
}
