/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.harness.load;

/** A {@link LoadProfile} in the making, with its defaults. Not thread-safe. */
public final class LoadProfileBuilder {
  private long seed = 1;
  private long bandwidthBytesPerSec;
  private double outgoingUtilization = 0.4;
  private double incomingUtilization = 0.4;
  private double coefficientOfVariation = 0.5;
  private long regimeMs = 3_000;
  private double jumpProbability = 0.1;
  private int filesPerNode = 4;
  private int fileBytes = 1 << 20;
  private int readBytes = 256 << 10;
  private int writeBytes = 256 << 10;
  private int replication = 3;
  private int maxClients = 128;
  private int maxFilesWritten = 200;

  LoadProfileBuilder() {
  }

  public LoadProfileBuilder seed(long value) {
    seed = value;
    return this;
  }

  public LoadProfileBuilder bandwidthBytesPerSec(long value) {
    bandwidthBytesPerSec = value;
    return this;
  }

  /** Both directions alike. */
  public LoadProfileBuilder utilization(double value) {
    return outgoingUtilization(value).incomingUtilization(value);
  }

  public LoadProfileBuilder outgoingUtilization(double value) {
    outgoingUtilization = value;
    return this;
  }

  public LoadProfileBuilder incomingUtilization(double value) {
    incomingUtilization = value;
    return this;
  }

  public LoadProfileBuilder coefficientOfVariation(double value) {
    coefficientOfVariation = value;
    return this;
  }

  public LoadProfileBuilder regimeMs(long value) {
    regimeMs = value;
    return this;
  }

  public LoadProfileBuilder jumpProbability(double value) {
    jumpProbability = value;
    return this;
  }

  public LoadProfileBuilder filesPerNode(int value) {
    filesPerNode = value;
    return this;
  }

  public LoadProfileBuilder fileBytes(int value) {
    fileBytes = value;
    return this;
  }

  public LoadProfileBuilder readBytes(int value) {
    readBytes = value;
    return this;
  }

  public LoadProfileBuilder writeBytes(int value) {
    writeBytes = value;
    return this;
  }

  public LoadProfileBuilder replication(int value) {
    replication = value;
    return this;
  }

  public LoadProfileBuilder maxClients(int value) {
    maxClients = value;
    return this;
  }

  public LoadProfileBuilder maxFilesWritten(int value) {
    maxFilesWritten = value;
    return this;
  }

  public LoadProfile build() {
    return new LoadProfile(seed, bandwidthBytesPerSec, outgoingUtilization, incomingUtilization, coefficientOfVariation,
        regimeMs, jumpProbability, filesPerNode, fileBytes, readBytes, writeBytes, replication, maxClients,
        maxFilesWritten);
  }
}
