/**
 * Shown paths: the raw path of a request, with the secret values of its route's parameters hidden.
 *
 *   GET /reset/9f8e7d   ──▶ route /reset/{token} ──▶ /reset/[redacted]
 *   no route (404, 405) ──▶ every pattern that begins as the path does
 *
 * Spec: spec/trace.md
 */
import { REDACTED } from "../../run/wire.ts";
import type { Redactor } from "../redact.ts";
import { decoded } from "../../run/values.ts";
import type { Snapshotter } from "../snapshot.ts";

/** Shows paths of one application. */
export class ShownPaths {
  readonly #redactor: Redactor;
  readonly #snapshots: Snapshotter;
  readonly #patterns: () => readonly string[];
  #withParams: readonly string[] | undefined;

  /** @param patterns all patterns of the application, asked when it serves */
  constructor(redactor: Redactor, snapshots: Snapshotter, patterns: () => readonly string[]) {
    this.#redactor = redactor;
    this.#snapshots = snapshots;
    this.#patterns = patterns;
  }

  /** The raw path of a request in its shown form. @param route of the request */
  of(url: string, route: string | undefined): string {
    if (route !== undefined && !hasParams(route)) return this.#snapshots.text(url);
    const origin = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i.exec(url)?.[0] ?? ""; // the target in absolute form
    const segments = url.slice(origin.length).split("/");
    const patterns = route === undefined ? this.#likely(segments) : [route];
    for (const pattern of patterns) this.#hide(segments, pattern);
    return this.#snapshots.text(origin + segments.join("/"));
  }

  /** The patterns that a path without a route could have been meant for. */
  #likely(segments: readonly string[]): readonly string[] {
    this.#withParams ??= this.#patterns().filter(hasParams);
    return this.#withParams.filter((pattern) =>
      pattern.split("/").every((part, index) => isParam(part) || part === decoded(segments[index] ?? "")),
    );
  }

  #hide(segments: string[], pattern: string): void {
    for (const [index, part] of pattern.split("/").entries()) {
      if (!isParam(part) || segments[index] === undefined) continue;
      const isRest = part.startsWith("*");
      const name = isRest ? part.slice(1) : part.slice(1, -1);
      const raw = isRest ? segments.slice(index).join("/") : segments[index];
      const value = decoded(raw);
      if (raw === "" || !this.#isSecret(name, value)) continue;
      this.#redactor.remember(value);
      segments.splice(index, isRest ? segments.length - index : 1, REDACTED);
    }
  }

  #isSecret(name: string, value: string): boolean {
    return this.#redactor.hides(name, value) || this.#redactor.text(value, value.length) !== value;
  }
}

/** Whether the pattern has parameters. */
export const hasParams = (pattern: string): boolean => pattern.includes("{") || pattern.includes("*");
const isParam = (part: string): boolean => part.startsWith("{") || part.startsWith("*");
