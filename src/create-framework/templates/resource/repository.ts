/**
 * Stores __plural__.
 */
import { Interface } from "framework";
import type { __Type__ } from "./__file__.ts";

export interface __Type__Repository {
  /** All __plural__, oldest first. */
  list(): Promise<readonly __Type__[]>;
  find(id: string): Promise<__Type__ | undefined>;
  /** Adds it, or replaces the one with the same id in its place. */
  save(item: __Type__): Promise<void>;
  /** Did it exist? */
  remove(id: string): Promise<boolean>;
}
export const __Type__Repository = Interface<__Type__Repository>("__Type__Repository");
