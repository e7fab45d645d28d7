/**
 * Slugs: a title as a part of a path. "Café & Bar" becomes `cafe-bar`, a second one with that title `cafe-bar-2`.
 */
import { Interface } from "framework";

/** Makes slugs. */
export interface SlugMaker {
  /** The first free slug for a title. `taken` are the slugs with the same beginning. */
  make(title: string, taken: readonly string[]): string;
  /** The beginning of every slug of that title. */
  base(title: string): string;
}
/** The token of the bean. */
export const SlugMaker: Interface<SlugMaker> = Interface("SlugMaker", { stereotype: "component" });

/** Keeps letters and digits of every script. Removes accents. */
export const slugMaker: SlugMaker = {
  base: slugOf,
  make(title, taken) {
    const base = slugOf(title);
    const used = new Set(taken);
    let [slug, count] = [base, 1];
    while (used.has(slug)) slug = `${base}-${(count += 1)}`;
    return slug;
  },
};

function slugOf(title: string): string {
  const words = title
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu);
  return words?.join("-").slice(0, 120) ?? "article";
}
