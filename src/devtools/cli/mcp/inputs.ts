/**
 * Inputs: the parameters of a tool, as a JSON Schema for the agent and as a check of its values.
 *
 *   { id: text("…"), view: oneOf(["summary", "tree"], "…") } ──▶ inputSchema
 *                                                           ──▶ readInputs(…) ──▶ values, or a sentence with the allowed ones
 */
import { TerminalError } from "../terminal/errors.ts";
import type { Json, JsonObject } from "../../run/shapes.ts";
import { isRecord } from "../../run/values.ts";

/** One input. */
export interface Input {
  readonly schema: JsonObject;
  readonly isRequired: boolean;
  /** The allowed values, as the end of a sentence: `a whole number from 1 to 9`. */
  readonly allowed: string;
  isAllowed(value: unknown): boolean;
}

/** The inputs of a tool, by name. */
export type Inputs = Readonly<Record<string, Input>>;

const MOST_CHARS = 10_000;

/** A text. */
export const text = (description: string, isRequired = false): Input => ({
  schema: { type: "string", description },
  isRequired,
  allowed: `a text of at most ${MOST_CHARS} characters`,
  isAllowed: (value) => typeof value === "string" && value.length <= MOST_CHARS,
});

/** A whole number. */
export const whole = (description: string, least: number, most: number): Input => ({
  schema: { type: "integer", minimum: least, maximum: most, description },
  isRequired: false,
  allowed: `a whole number from ${least} to ${most}`,
  isAllowed: (value) => Number.isInteger(value) && (value as number) >= least && (value as number) <= most,
});

/** True or false. */
export const flag = (description: string): Input => ({
  schema: { type: "boolean", description },
  isRequired: false,
  allowed: "true or false",
  isAllowed: (value) => typeof value === "boolean",
});

/** One of a few words. */
export const oneOf = (words: readonly string[], description: string): Input => ({
  schema: { type: "string", enum: words, description },
  isRequired: false,
  allowed: words.join(" or "),
  isAllowed: (value) => typeof value === "string" && words.includes(value),
});

/** Texts by name. */
export const texts = (description: string): Input => ({
  schema: { type: "object", additionalProperties: { type: "string" }, description },
  isRequired: false,
  allowed: "an object of texts",
  isAllowed: (value) => isRecord(value) && Object.values(value).every((one) => typeof one === "string"),
});

/** Any JSON. */
export const anything = (description: string): Input => ({
  schema: { description },
  isRequired: false,
  allowed: "JSON",
  isAllowed: () => true,
});

/** The schema that an agent sees. */
export const inputSchemaOf = (inputs: Inputs): JsonObject => ({
  type: "object",
  properties: Object.fromEntries(Object.entries(inputs).map(([name, { schema }]) => [name, schema])),
  required: Object.keys(inputs).filter((name) => inputs[name]?.isRequired === true),
  additionalProperties: false,
});

/** The agent's values, read by name. */
export class ToolInput {
  readonly #values: Readonly<Record<string, unknown>>;

  constructor(values: Readonly<Record<string, unknown>>) {
    this.#values = values;
  }

  text(name: string): string | undefined {
    return this.#values[name] as string | undefined;
  }

  whole(name: string): number | undefined {
    return this.#values[name] as number | undefined;
  }

  isSet(name: string): boolean {
    return this.#values[name] === true;
  }

  texts(name: string): readonly (readonly [name: string, value: string])[] {
    return Object.entries((this.#values[name] ?? {}) as Readonly<Record<string, string>>);
  }

  json(name: string): Json | undefined {
    return this.#values[name] as Json | undefined;
  }
}

/** Reads the agent's values. @throws TerminalError naming the input, its value and what is allowed */
export function readInputs(tool: string, inputs: Inputs, came: unknown): ToolInput {
  const values = came ?? {};
  if (!isRecord(values)) throw new TerminalError(`${tool} takes an object`);
  for (const name of Object.keys(values))
    if (!Object.hasOwn(inputs, name))
      throw new TerminalError(
        `${tool} takes no ${JSON.stringify(name)}: ${Object.keys(inputs).join(", ")} are allowed`,
      );
  for (const [name, { isRequired, allowed, isAllowed }] of Object.entries(inputs)) {
    const value: unknown = Reflect.get(values, name);
    if (value === undefined && isRequired) throw new TerminalError(`${tool} needs ${name}: ${allowed}`);
    if (value !== undefined && !isAllowed(value))
      throw new TerminalError(`${name} of ${tool} is ${shown(value)}: ${allowed} is allowed`);
  }
  return new ToolInput(values);
}

const shown = (value: unknown): string => (JSON.stringify(value) ?? "undefined").slice(0, 80);
