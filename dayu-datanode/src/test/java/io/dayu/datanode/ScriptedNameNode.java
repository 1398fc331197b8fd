/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.datanode;

import io.dayu.protocol.DayuProtocolPB;
import io.dayu.protocol.DayuProtos.AgentCommandsProto;
import io.dayu.protocol.DayuProtos.ReportProto;
import org.apache.hadoop.thirdparty.protobuf.RpcController;
import org.apache.hadoop.thirdparty.protobuf.ServiceException;

import java.io.Closeable;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertNotNull;

/** A NameNode that hands each report to the test and waits for the test's answer. Safe for use by all threads. */
final class ScriptedNameNode implements DayuProtocolPB, Closeable {
  final BlockingQueue<ReportProto> reports = new LinkedBlockingQueue<>();
  /** An {@link AgentCommandsProto}, an exception or an error for each report, in order. */
  final BlockingQueue<Object> answers = new LinkedBlockingQueue<>();

  @Override
  public AgentCommandsProto report(RpcController controller, ReportProto report) throws ServiceException {
    reports.add(report);
    try {
      Object answer = answers.take();
      if (answer instanceof Error error) {
        throw error;
      } else if (answer instanceof RuntimeException failure) {
        throw failure;
      } else if (answer instanceof Exception failure) {
        throw new ServiceException(failure);
      }
      return (AgentCommandsProto) answer;
    } catch (InterruptedException e) {
      throw new ServiceException(e);
    }
  }

  /** The next report. */
  ReportProto next() throws InterruptedException {
    ReportProto report = reports.poll(30, TimeUnit.SECONDS);
    assertNotNull(report, "a report");
    return report;
  }

  @Override
  public void close() {
  }
}
