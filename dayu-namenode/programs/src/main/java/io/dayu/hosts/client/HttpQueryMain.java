/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.hosts.client;

import com.fasterxml.jackson.databind.ObjectMapper;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.URLConnection;
import java.nio.charset.StandardCharsets;

/**
 * Entry of a process that asks NameNodes over HTTP: for each line of input, an address with its query, one line with
 * the body of the answer as a JSON string, or with {@code null} if there is none. Ends when its standard input is
 * closed.
 */
public final class HttpQueryMain {
  private static final String TIMEOUT_MS = "30000";

  private HttpQueryMain() {
  }

  /** @param args how many milliseconds each step of a connection may take, if not 30,000 */
  public static void main(String[] args) throws IOException {
    int timeoutMs = Integer.parseInt(args.length > 0 ? args[0] : TIMEOUT_MS);
    BufferedReader addresses = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    ObjectMapper json = new ObjectMapper();
    for (String address = addresses.readLine(); address != null; address = addresses.readLine()) {
      System.out.println(json.writeValueAsString(body(address, timeoutMs)));
      System.out.flush();
    }
  }

  private static String body(String address, int timeoutMs) {
    try {
      URLConnection connection = URI.create(address).toURL().openConnection();
      connection.setConnectTimeout(timeoutMs);
      connection.setReadTimeout(timeoutMs);
      try (InputStream in = connection.getInputStream()) {
        return new String(in.readAllBytes(), StandardCharsets.UTF_8);
      }
    } catch (IOException e) {
      return null;
    }
  }
}
