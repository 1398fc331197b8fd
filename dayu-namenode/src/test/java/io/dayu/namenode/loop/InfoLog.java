/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.namenode.loop;

import org.apache.log4j.Level;
import org.apache.log4j.Logger;
import org.apache.log4j.SimpleLayout;
import org.apache.log4j.WriterAppender;

import java.io.StringWriter;
import java.util.List;

/** What a class logs at INFO or above, as on a NameNode; tests log at DEBUG. */
final class InfoLog implements AutoCloseable {
  private final Logger logger;
  private final StringWriter written = new StringWriter();
  private final WriterAppender appender = new WriterAppender(new SimpleLayout(), written);

  InfoLog(Class<?> of) {
    logger = Logger.getLogger(of);
    appender.setThreshold(Level.INFO);
    logger.addAppender(appender);
  }

  /** Each begins with its level. */
  List<String> lines() {
    return written.toString().lines().toList();
  }

  @Override
  public void close() {
    logger.removeAppender(appender);
  }
}
