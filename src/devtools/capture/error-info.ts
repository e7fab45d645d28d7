/**
 * Errors in a trace: name, message, stack, the code around the line that threw, and causes.
 *
 *   thrown ──▶ when the run is over: of(): name, message, frames, causes ──▶ withExcerpts(): files are read
 *
 * No code of the application runs. `cause` is read as data, and a stack is the text that Node has written.
 *
 * Spec: spec/trace.md
 */
import { types } from "node:util";
import type { ErrorCause, ErrorInfo } from "../run/shapes.ts";
import { dataOf, ownList } from "./inspect.ts";
import type { KnownSecrets } from "./secrets/known.ts";
import type { Snapshotter } from "./snapshot.ts";
import type { Stacks } from "./stacks.ts";

const maxCauses = 5;

/** Shows errors. */
export class ErrorInfos {
  readonly #snapshots: Snapshotter;
  readonly #stacks: Stacks | undefined;

  /** @param stacks undefined if they are hidden */
  constructor(snapshots: Snapshotter, stacks: Stacks | undefined) {
    this.#snapshots = snapshots;
    this.#stacks = stacks;
  }

  /** The thrown value, without the code around it. */
  of(thrown: unknown): ErrorInfo {
    const causes = causesOf(thrown).map((cause) => this.#one(cause));
    return { ...this.#one(thrown), ...(causes.length === 0 ? {} : { causes }) };
  }

  withExcerpts(error: ErrorInfo): ErrorInfo {
    const { causes } = error;
    if (error.stack === undefined && causes === undefined) return error;
    return {
      ...this.#withExcerpt(error),
      ...(causes === undefined ? {} : { causes: causes.map((cause) => this.#withExcerpt(cause)) }),
    };
  }

  #one(thrown: unknown): ErrorCause {
    const shown = this.#snapshots.error(thrown);
    const stack = this.#attempt((stacks) => stacks.framesOf(thrown));
    return stack === undefined ? shown : { ...shown, stack };
  }

  #withExcerpt<E extends ErrorCause>(error: E): E {
    const { stack } = error;
    const excerpt = stack === undefined ? undefined : this.#attempt((stacks) => stacks.excerptOf(stack));
    return excerpt === undefined ? error : { ...error, excerpt };
  }

  /** If a stack cannot be read, the error's name and message remain. */
  #attempt<T>(read: (stacks: Stacks) => T | undefined): T | undefined {
    try {
      return this.#stacks === undefined ? undefined : read(this.#stacks);
    } catch {
      return undefined;
    }
  }
}

/** The error, with known secrets hidden. */
export function withoutSecrets(error: ErrorInfo, secrets: KnownSecrets): ErrorInfo {
  const { causes, fields } = error;
  return {
    ...causeWithout(error, secrets),
    ...(causes === undefined ? {} : { causes: causes.map((cause) => causeWithout(cause, secrets)) }),
    ...(fields === undefined ? {} : { fields: secrets.record(fields) }),
  };
}

function causeWithout({ name, message, stack, excerpt }: ErrorCause, secrets: KnownSecrets): ErrorCause {
  return {
    name,
    message: secrets.text(message),
    ...(stack === undefined ? {} : { stack }),
    ...(excerpt === undefined ? {} : { excerpt: { ...excerpt, lines: secrets.list(excerpt.lines) } }),
  };
}

/** The memory of an error. */
export function bytesOf(error: ErrorInfo): number {
  const own = (one: ErrorCause): number =>
    2 * (one.name.length + one.message.length) + 160 * (one.stack?.length ?? 0) + (one.stack === undefined ? 0 : 2_048);
  return own(error) + (error.causes ?? []).reduce((sum, cause) => sum + own(cause), 0);
}

/** Its cause and the errors that it aggregates, then theirs, nearest first. */
function causesOf(thrown: unknown): readonly unknown[] {
  const found = new Set<unknown>([thrown]);
  for (const one of found) for (const cause of behind(one)) if (found.size <= maxCauses) found.add(cause);
  return [...found].slice(1);
}

/** The cause and the errors, if each is an error or a text. Other values may hold data that must not be in a stack. */
function behind(thrown: unknown): readonly unknown[] {
  if (typeof thrown !== "object" || thrown === null || types.isProxy(thrown)) return [];
  const errors = types.isNativeError(thrown) ? ownList(thrown, "errors") : [];
  return [dataOf(thrown, "cause"), ...errors].filter((one) => types.isNativeError(one) || typeof one === "string");
}
