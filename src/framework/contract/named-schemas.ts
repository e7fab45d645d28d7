/**
 * The schemas of a document or of a tool: each as JSON Schema, the named ones once, as components.
 *
 *   { $ref: "#/$defs/Order", $defs: { Order, Line } }  ──▶  { $ref: "#/components/schemas/Order" }, components: Order, Line
 *
 * A schema's input and output can differ (defaults, strict objects), and two schemas can share a name. If the name is already
 * used by a different schema, `Input` or `Output` is appended, then a number.
 */
import { conversionOf, type Flaw, type JsonSchemaOf, type JsonSchemaSource, type Side } from "./json-schema.ts";
import { usageError } from "../internal/usage-errors.ts";

export type { JsonSchemaOf } from "./json-schema.ts";

type Definitions = Readonly<Record<string, JsonSchemaSource>>;

/** Collects the named schemas of a document. */
export class Schemas {
  readonly #convert: JsonSchemaOf | undefined;
  readonly #components: Map<string, JsonSchemaSource> = new Map();
  readonly #taken: Set<string> = new Set();
  /** The components' names, by the identity of their schemas. */
  readonly #named: Map<string, string> = new Map();

  /** The start of a reference to a component. */
  readonly #prefix: string;

  constructor(convert: JsonSchemaOf | undefined, prefix = "#/components/schemas/") {
    this.#convert = convert;
    this.#prefix = prefix;
  }

  /** The named schemas so far, by name. */
  get components(): Readonly<Record<string, JsonSchemaSource>> {
    return Object.fromEntries([...this.#components].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** The target component of a reference, or the schema itself. */
  followed(schema: JsonSchemaSource): JsonSchemaSource {
    const { $ref: ref } = schema;
    const prefix = this.#prefix;
    const name = typeof ref === "string" && ref.startsWith(prefix) ? ref.slice(prefix.length) : undefined;
    return name === undefined ? schema : (this.#components.get(name) ?? schema);
  }

  /** Adds one that the document itself needs, and returns a reference to it. */
  add(name: string, schema: JsonSchemaSource): JsonSchemaSource {
    this.#taken.add(name);
    this.#components.set(name, schema);
    return { $ref: this.#prefix + name };
  }

  /** The JSON Schema of a schema, with references into itself. Undefined when it has none. */
  plain(schema: unknown, side: Side): JsonSchemaSource | undefined {
    return conversionOf(schema, side, this.#convert).schema;
  }

  /**
   * The JSON Schema of a schema, with references for its named parts.
   *
   * @param isByName does it hold values by name, as in a query, which may be a Set?
   * @throws TypeError, naming `what`, when it or a member of it has none.
   */
  of(what: string, schema: unknown, side: Side, isByName = false): JsonSchemaSource {
    const whole = this.#whole(what, schema, side, isByName);
    const defs = (whole["$defs"] ?? {}) as Definitions;
    const root = without(whole, ["$schema", "$defs"]);
    const own = nameOf(root) ?? ([root, ...Object.values(defs)].some(refersToItself) ? recursive : undefined);
    const parts = new Map(Object.entries(defs));
    if (own !== undefined) parts.set("#", without(root, ["$id", "id"]));
    const names = this.#namesFor(parts, side, own);
    for (const [from, part] of parts) this.#components.set(names.get(from) ?? from, renamed(part, names, this.#prefix));
    return own === undefined ? renamed(root, names, this.#prefix) : { $ref: this.#prefix + (names.get("#") ?? own) };
  }

  #whole(what: string, schema: unknown, side: Side, isByName: boolean): JsonSchemaSource {
    const { schema: found, flaws } = conversionOf(schema, side, this.#convert);
    const flaw = flaws.find(({ type }) => !(isByName && type === "set"));
    if (found !== undefined && flaw === undefined) return found;
    const sentence = flaw === undefined ? `: ${libraries}` : sentenceOf(flaw, side);
    throw usageError("CONTRACT_INVALID", `${what} has no JSON Schema${sentence}`);
  }

  /** The name of each part here: its own, unless another schema has that. @param own the name of the whole, `#` */
  #namesFor(parts: Parts, side: Side, own: string | undefined): ReadonlyMap<string, string> {
    const plain = new Map([...parts.keys()].map((from) => [from, from === "#" ? (own ?? from) : from]));
    const names = new Map<string, string>();
    for (const [from, name] of plain) {
      const identity = identityOf(from, parts, plain, this.#prefix);
      const chosen = this.#named.get(identity) ?? this.#freeName(name, side);
      this.#named.set(identity, chosen);
      this.#taken.add(chosen);
      names.set(from, chosen);
    }
    return names;
  }

  #freeName(name: string, side: Side): string {
    const second = name + (side === "input" ? "Input" : "Output");
    let free = name;
    for (let count = 1; this.#taken.has(free); count += 1) free = count === 1 ? second : second + String(count);
    return free;
  }
}

const libraries =
  "take a library that has them (Zod 4.2, ArkType 2.1.28, TypeBox), or hand its converter over as jsonSchemaOf";

/** Advice for a type that JSON does not have. */
const instead: Readonly<Record<string, Readonly<Record<Side, string>>>> = {
  date: { input: "z.iso.datetime(), or z.coerce.date() for a Date", output: "z.iso.datetime()" },
  bigint: { input: "z.int(), or z.coerce.bigint() for a text", output: "z.int(), or z.string()" },
  set: { input: "z.array()", output: "z.array()" },
  map: { input: "z.record()", output: "z.record()" },
  transform: { input: ".pipe() and what comes out of it", output: ".pipe() and what comes out of it" },
};

/** The place, the type, and the advice. */
function sentenceOf({ member, type, reason }: Flaw, side: Side): string {
  const place = member === "" ? "" : ` at ${JSON.stringify(member)}`;
  if (type === undefined) return `${place}: ${reason ?? libraries}`;
  return `${place}, where it is a ${type}: write ${instead[type]?.[side] ?? "a type that JSON has, or jsonSchemaOf"}`;
}

/** An unnamed schema that refers to itself with `#`, which means the whole document there, so it needs a name. */
const recursive = "Recursive";

function nameOf({ $id, id, $ref: ref }: JsonSchemaSource): string | undefined {
  const given = $id ?? id;
  return typeof given === "string" && ref === undefined ? given : undefined;
}

function refersToItself(schema: JsonSchemaSource): boolean {
  let found = false;
  withReferences(schema, (ref) => {
    found ||= ref === "#";
    return ref;
  });
  return found;
}

/** The named schemas of one schema, by the names in its references. Itself is `#`. */
type Parts = ReadonlyMap<string, JsonSchemaSource>;

/** The identity of a part: its name and text, and those of all parts that it refers to. */
function identityOf(from: string, parts: Parts, names: ReadonlyMap<string, string>, prefix: string): string {
  const reached = new Set([from]);
  for (const part of reached) {
    withReferences(parts.get(part) ?? {}, (ref) => {
      reached.add(localName(ref) ?? part);
      return ref;
    });
  }
  return JSON.stringify([...reached].map((part) => [names.get(part), renamed(parts.get(part) ?? {}, names, prefix)]));
}

/** A schema with its references to `$defs` and to itself pointing to the components. */
const renamed = (schema: JsonSchemaSource, names: ReadonlyMap<string, string>, prefix: string): JsonSchemaSource =>
  withReferences(schema, (ref) => {
    const name = localName(ref);
    return name === undefined ? ref : prefix + (names.get(name) ?? name);
  });

/** A schema with other references. */
function withReferences(schema: JsonSchemaSource, other: (ref: string) => string): JsonSchemaSource {
  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(visit);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [
        key,
        key === "$ref" && typeof inner === "string" ? other(inner) : visit(inner),
      ]),
    );
  };
  return visit(schema) as JsonSchemaSource;
}

/** The part that a reference points to. */
const localName = (ref: string): string | undefined => (ref === "#" ? ref : /^#\/\$defs\/(.+)$/.exec(ref)?.[1]);

const without = (schema: JsonSchemaSource, names: readonly string[]): JsonSchemaSource =>
  Object.fromEntries(Object.entries(schema).filter(([name]) => !names.includes(name)));
