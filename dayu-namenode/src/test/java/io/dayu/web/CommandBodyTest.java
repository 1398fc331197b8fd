/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.web;

import org.junit.jupiter.api.Test;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import javax.servlet.ServletInputStream;
import javax.servlet.http.HttpServletRequest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

class CommandBodyTest {
  /** As a long garbage collection does, after the headers have been read. */
  @Test
  void nameNodeThatStandsStillForMoreThanASecond_readsTheBodyAllTheSame() throws Exception {
    byte[] body = "{\"argument\": \"until six\"}".getBytes(StandardCharsets.UTF_8);
    ByteArrayInputStream arrived = new ByteArrayInputStream(body);
    ServletInputStream in = mock(ServletInputStream.class);
    when(in.available()).thenAnswer(call -> {
      TimeUnit.MILLISECONDS.sleep(1_100);
      return 0;
    }).thenReturn(body.length);
    when(in.read(any(), anyInt(), anyInt()))
        .thenAnswer(call -> arrived.read(call.getArgument(0), call.getArgument(1), call.getArgument(2)));
    HttpServletRequest request = mock(HttpServletRequest.class);
    when(request.getContentLengthLong()).thenReturn((long) body.length);
    when(request.getInputStream()).thenReturn(in);
    assertEquals("until six", new CommandBody().argument(request));
  }
}
