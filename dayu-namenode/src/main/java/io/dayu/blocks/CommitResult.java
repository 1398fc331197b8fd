/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with
 * the License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0. Unless required by
 * applicable law or agreed to in writing, software distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for the specific language
 * governing permissions and limitations under the License.
 */
package io.dayu.blocks;

/**
 * The NameNode's answer to a {@link TransferRequest}. Immutable. Other answers than COMMITTED are normal, since plans
 * get out of date.
 *
 * @param verdict what happened
 * @param storageId storage that is to hold the copy, when committed
 * @param storageType its type by name, when committed
 * @param reason why not, for people; null when committed
 */
public record CommitResult(Verdict verdict, String storageId, String storageType, String reason) {
  /** The possible answers. */
  public enum Verdict {
    /** Registered as pending and counted on the target's storage. */
    COMMITTED,
    /** The block has enough replicas, or copies are pending for all that it lacks. */
    NOT_NEEDED,
    /** The block was deleted or reopened, or the source can no longer serve it: read it anew. */
    CHANGED,
    /** This target cannot have it: it is dead, holds it already or is to get it. */
    TARGET_REFUSED,
    /** This target cannot have it yet: it has to delete another internal block of the group first. */
    TARGET_DELETES,
    /** This target cannot have it: it has no room on a storage of an allowed type. */
    TARGET_FULL,
    /** This target cannot have it: the placement policy refuses it. */
    TARGET_MISPLACED
  }

  public static CommitResult committed(String storageId, String storageType) {
    return new CommitResult(Verdict.COMMITTED, storageId, storageType, null);
  }

  public static CommitResult rejected(Verdict verdict, String reason) {
    return new CommitResult(verdict, null, null, reason);
  }

  /** Whether another target may have the block. */
  public boolean refusedByTarget() {
    return switch (verdict) {
      case TARGET_REFUSED, TARGET_DELETES, TARGET_FULL, TARGET_MISPLACED -> true;
      case COMMITTED, NOT_NEEDED, CHANGED -> false;
    };
  }

  public boolean committed() {
    return verdict == Verdict.COMMITTED;
  }
}
