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
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * Entry of the client process. {@code load TASK} writes the data set. {@code run TASK} says READY once the cluster is,
 * begins the foreground at the line BEGIN and says BEGUN with the time in milliseconds, and ends it at the line STOP,
 * or when its standard input is closed.
 */
public final class ClientMain {

  private ClientMain() {
  }

  public static void main(String[] args) throws Exception {
    ClientTask task = new ObjectMapper().readValue(args[1], ClientTask.class);
    try (HdfsClient hdfs = new HdfsClient(task)) {
      hdfs.awaitCluster();
      if (args[0].equals("load")) {
        new DataLoader(hdfs, task).load();
      } else {
        run(hdfs, task);
      }
    }
    System.exit(0);
  }

  private static void run(HdfsClient hdfs, ClientTask task) throws IOException, InterruptedException {
    BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    say("READY");
    Foreground foreground = new Foreground(hdfs, task);
    if (!"BEGIN".equals(commands.readLine())) {
      return;
    }
    foreground.start();
    say("BEGUN " + System.currentTimeMillis());
    if ("STOP".equals(commands.readLine())) {
      foreground.stop(Path.of(task.directory(), ClientTask.OPERATIONS_FILE));
      say("ENDED");
    }
  }

  private static void say(String line) {
    System.out.println(line);
    System.out.flush();
  }
}
