/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode;

import io.dayu.conf.Setting;
import io.dayu.conf.Settings;
import org.apache.hadoop.hdfs.server.datanode.DataNodeAccess;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Says which network interfaces carry the DataNode's block traffic. These are the interfaces that the admin names. If
 * the admin names none, it is the interface of the address where the DataNode listens. If the DataNode listens on all
 * addresses, it is the interface of the address under which it has registered; before that, of the address from which
 * it will call the NameNode. Stateless, hence thread-safe.
 */
final class TransferInterfaces implements Supplier<List<String>> {
  private final List<String> named;
  private final InetAddress listens;
  private final Supplier<Optional<InetAddress>> registered;
  private final Function<InetAddress, Optional<String>> carrier;

  TransferInterfaces(List<String> named, InetAddress listens, Supplier<Optional<InetAddress>> registered,
      Function<InetAddress, Optional<String>> carrier) {
    this.named = named;
    this.listens = listens;
    this.registered = registered;
    this.carrier = carrier;
  }

  static TransferInterfaces of(Settings settings, DataNodeAccess node) {
    return new TransferInterfaces(settings.names(Setting.METER_INTERFACES), node.transferAddress(),
        () -> node.registeredAddress().or(() -> node.nameNodeAddress().flatMap(TransferInterfaces::localAddress)),
        TransferInterfaces::carrier);
  }

  /** Their names; empty, for all, if the address is not known, or is that of the loopback or of no interface here. */
  @Override
  public List<String> get() {
    if (!named.isEmpty()) {
      return named;
    }
    return Optional.of(listens).filter(address -> !address.isAnyLocalAddress()).or(registered)
        .filter(address -> !address.isLoopbackAddress()).flatMap(carrier).map(List::of).orElse(List.of());
  }

  /** The address from which this host would call another; nothing is sent. */
  private static Optional<InetAddress> localAddress(InetSocketAddress other) {
    try (DatagramSocket socket = new DatagramSocket()) {
      socket.connect(other);
      return Optional.of(socket.getLocalAddress()).filter(address -> !address.isAnyLocalAddress());
    } catch (IOException noRoute) {
      return Optional.empty();
    }
  }

  static Optional<String> carrier(InetAddress address) {
    try {
      // An alias is called after the interface that it belongs to.
      return Optional.ofNullable(NetworkInterface.getByInetAddress(address)).map(one -> one.getName().split(":", 2)[0]);
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}
