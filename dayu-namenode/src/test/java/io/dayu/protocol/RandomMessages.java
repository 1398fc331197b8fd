/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.protocol;

import org.apache.hadoop.thirdparty.protobuf.ByteString;
import org.apache.hadoop.thirdparty.protobuf.Descriptors.FieldDescriptor;
import org.apache.hadoop.thirdparty.protobuf.Message;

import java.util.Random;

/** Well-formed messages with random values, from a seed. Not thread-safe. */
public final class RandomMessages {
  private static final long[] NUMBERS = {0, 1, -1, 7, 100, 1001, 60_000, 65_535, 65_536, Integer.MAX_VALUE,
      Integer.MIN_VALUE, 1L << 40, (1L << 40) + 1, Long.MAX_VALUE, Long.MIN_VALUE};
  private static final String[] WORDS = {"", "DISK", "SSD", "NOT_A_TYPE", "target", "source", "DS-1", "10.0.0.1",
      "a b\n\0\u2028", "x".repeat(256), "y".repeat(257), "z".repeat(5_000)};

  private static final int SHORT_NAMES = 8;

  private final Random random;

  public RandomMessages(long seed) {
    random = new Random(seed);
  }

  /** Sets each field, or not; nested messages and lists alike. Required ones are always set. */
  public <B extends Message.Builder> B fill(B builder) {
    for (FieldDescriptor field : builder.getDescriptorForType().getFields()) {
      if (field.isRepeated()) {
        for (int i = random.nextInt(4); i > 0; i--) {
          builder.addRepeatedField(field, value(builder, field));
        }
      } else if (field.isRequired() || random.nextBoolean()) {
        builder.setField(field, value(builder, field));
      }
    }
    return builder;
  }

  private Object value(Message.Builder builder, FieldDescriptor field) {
    switch (field.getJavaType()) {
      case INT:
        return (int) number();
      case LONG:
        return number();
      case DOUBLE:
        return random.nextBoolean() ? Double.longBitsToDouble(random.nextLong()) : random.nextDouble();
      case BOOLEAN:
        return random.nextBoolean();
      case STRING:
        return WORDS[random.nextInt(random.nextInt(12) > 0 ? SHORT_NAMES : WORDS.length)];
      case ENUM:
        return field.getEnumType().getValues().get(random.nextInt(field.getEnumType().getValues().size()));
      case MESSAGE:
        return fill(builder.newBuilderForField(field)).build();
      default:
        throw new IllegalStateException("no field of ours is of type " + field.getJavaType());
    }
  }

  /** Mostly small ones, so that now and then all of a message are good. */
  private long number() {
    return random.nextInt(12) > 0 ? random.nextInt(100) : random.nextBoolean() ? NUMBERS[random.nextInt(NUMBERS.length)]
        : random.nextLong();
  }

  /** The bytes of a message with some of them changed. */
  public ByteString damaged(Message message) {
    byte[] bytes = message.toByteArray();
    for (int i = 1 + random.nextInt(4); i > 0 && bytes.length > 0; i--) {
      bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
    }
    return ByteString.copyFrom(bytes, 0, random.nextInt(4) == 0 ? random.nextInt(bytes.length + 1) : bytes.length);
  }
}
