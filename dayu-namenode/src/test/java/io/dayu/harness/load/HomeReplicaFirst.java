/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness.load;

import org.apache.hadoop.hdfs.protocol.ClientProtocol;
import org.apache.hadoop.hdfs.protocol.DatanodeInfoWithStorage;
import org.apache.hadoop.hdfs.protocol.LocatedBlock;
import org.apache.hadoop.hdfs.protocol.LocatedBlocks;
import org.apache.hadoop.ipc.RPC;

import java.io.Closeable;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.function.Function;

/**
 * The NameNode's protocol as a reading client sees it whose network puts it next to the file's home: where that node
 * has a replica, it comes first, and the client turns to the others only if it fails. Thread-safe. In an embedded
 * cluster all clients and DataNodes share one address, so the NameNode would else sort replicas at random.
 */
public final class HomeReplicaFirst implements InvocationHandler, Closeable {
  private final ClientProtocol nameNode;
  private final Function<String, List<String>> homeUuids;

  private HomeReplicaFirst(ClientProtocol nameNode, Function<String, List<String>> homeUuids) {
    this.nameNode = nameNode;
    this.homeUuids = homeUuids;
  }

  /**
   * @param homeUuids the UUIDs of the DataNodes to read a path from, the most wanted one first; empty where HDFS's
   *     order shall do
   */
  public static ClientProtocol over(ClientProtocol nameNode, Function<String, List<String>> homeUuids) {
    return (ClientProtocol) Proxy.newProxyInstance(HomeReplicaFirst.class.getClassLoader(),
        new Class<?>[] {ClientProtocol.class}, new HomeReplicaFirst(nameNode, homeUuids));
  }

  @Override
  public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
    Object answer;
    try {
      answer = method.invoke(nameNode, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
    if (answer instanceof LocatedBlocks blocks && method.getName().equals("getBlockLocations")) {
      List<String> uuids = homeUuids.apply((String) arguments[0]);
      for (int i = uuids.size() - 1; i >= 0; i--) {
        String uuid = uuids.get(i);
        blocks.getLocatedBlocks().forEach(block -> putFirst(block, uuid));
      }
    }
    return answer;
  }

  private static void putFirst(LocatedBlock block, String uuid) {
    DatanodeInfoWithStorage[] locations = block.getLocations();
    for (int i = 1; i < locations.length; i++) {
      if (locations[i].getDatanodeUuid().equals(uuid)) {
        DatanodeInfoWithStorage home = locations[i];
        System.arraycopy(locations, 0, locations, 1, i);
        locations[0] = home;
        block.updateCachedStorageInfo();
        return;
      }
    }
  }

  /** Called by the client that the proxy was given to, when that is closed. */
  @Override
  public void close() {
    RPC.stopProxy(nameNode);
  }
}
