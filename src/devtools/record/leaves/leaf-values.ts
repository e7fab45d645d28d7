/**
 * LeafValues: values of leaves as bounded, redacted JSON, which count against the memory of their trace.
 *
 * Statements recur. If one has no secret, that fact and its operation are remembered.
 *
 * Spec: spec/leaves.md, spec/trace.md
 */
import type { Json, JsonObject, LeafError } from "../../run/shapes.ts";
import { addHeader, type Fields } from "../../capture/http/fields.ts";
import type { Recording } from "../recorder.ts";
import type { Redactor } from "../../capture/redact.ts";
import type { Snapshot, Snapshotter } from "../../capture/snapshot.ts";
import { headerPairs, type HeaderList } from "./header-list.ts";

const maxClean = 500;
/** Characters of the longest of them. */
const cleanChars = 4_096;
/** Characters of a text if the trace has no room left. */
const leastChars = 64;

/** Captures the values of one leaf at a time. */
export class LeafValues {
  readonly #snapshots: Snapshotter;
  readonly #redactor: Redactor;
  /** Statements without a secret, each with its operation. */
  readonly #clean = new Map<string, string>();
  #recording: Pick<Recording, "budget" | "secrets">;

  constructor(snapshots: Snapshotter, redactor: Redactor, recording: Pick<Recording, "budget" | "secrets">) {
    this.#snapshots = snapshots;
    this.#redactor = redactor;
    this.#recording = recording;
  }

  /** Sets the recording of the next values. */
  within(recording: Recording): this {
    this.#recording = recording;
    this.#snapshots.within(recording.secrets);
    return this;
  }

  text(text: string): string {
    const room = Math.max(leastChars, this.#recording.budget);
    const shown = this.#snapshots.text(text, room);
    this.#recording.budget -= 2 * shown.length;
    return shown;
  }

  /** A text that is likely to recur. */
  statement(text: string): string {
    const { budget } = this.#recording;
    if (this.#clean.has(text) && text.length <= budget) {
      this.#recording.budget -= 16; // the text is stored once for all leaves
      return text;
    }
    const shown = this.text(text);
    if (shown === text && text.length <= cleanChars) {
      if (this.#clean.size >= maxClean) this.#clean.clear();
      this.#clean.set(text, operationOf(text));
    }
    return shown;
  }

  operation(statement: string): string {
    return this.#clean.get(statement) ?? operationOf(statement);
  }

  value(value: unknown): Json {
    return this.#counted(this.#snapshots.take(value, this.#room));
  }

  values(values: readonly unknown[]): readonly Json[] {
    return this.#counted(this.#snapshots.takeAll(values, this.#room));
  }

  /** An object as a JSON object; any other value is under `value`. */
  object(object: object): JsonObject {
    const json = this.value(object);
    return typeof json === "object" && json !== null && !Array.isArray(json) ? (json as JsonObject) : { value: json };
  }

  headers(list: HeaderList): { readonly [name: string]: readonly string[] } {
    const shown: Fields = {};
    const tools = { redactor: this.#redactor, snapshots: this.#snapshots };
    for (const [name, value] of headerPairs(list)) {
      if (this.#recording.budget <= 0) break;
      addHeader(shown, name, value, tools);
      this.#recording.budget -= 64 + name.length + 2 * value.length;
    }
    return shown;
  }

  error(thrown: unknown): LeafError {
    const { name, message } = this.#snapshots.error(thrown);
    this.#recording.budget -= 2 * (name.length + message.length);
    return { name, message };
  }

  get #room(): number {
    return Math.max(0, this.#recording.budget);
  }

  #counted<T extends Json | readonly Json[]>({ json, bytes }: Snapshot<T>): T {
    this.#recording.budget -= bytes;
    return json;
  }
}

/** The first word of a statement with or without a comment before it. */
function operationOf(statement: string): string {
  const head = statement.slice(0, 1_024);
  const [, word = ""] = /^(?:[\s(;]|--[^\n]*\n|\/\*(?:[^*]|\*(?!\/))*\*\/)*([A-Za-z]{1,32})/.exec(head) ?? [];
  return word.toUpperCase();
}
