/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by applicable
 * law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES
 * OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language governing permissions and
 * limitations under the License.
 */
package org.apache.hadoop.ipc;

import org.apache.hadoop.thirdparty.protobuf.Message;

/**
 * The response to a call, given later and by another thread than the handler's ({@link RpcWritable#wrap(Object)} is package-private).
 *
 * <p>Not {@link ProtobufRpcEngineCallback2}, which in Hadoop 3.5 books all the time until then as processing: as slow calls, as RpcProcessingTime
 * and against the caller in the call queue's scheduler, though nobody worked.
 */
public final class DeferredResponse {
  private final Server.Call call;

  private DeferredResponse(Server.Call call) {
    this.call = call;
  }

  /** Of the call that this thread handles, whose method may return any message: it is not sent. */
  public static DeferredResponse ofThisCall() {
    Server.Call call = Server.getCurCall().get();
    call.deferResponse();
    return new DeferredResponse(call);
  }

  public void give(Message response) {
    call.setDeferredResponse(RpcWritable.wrap(response));
  }

  public void fail(Throwable e) {
    call.setDeferredError(e);
  }
}
