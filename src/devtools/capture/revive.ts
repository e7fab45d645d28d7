/**
 * Reviving: makes a recorded value again. Its input has been checked before (flaws.ts).
 *
 *   { "$date": … } ──▶ Date      { "$class": "Money", … } ──▶ the application's own way to make one      plain ──▶ plain
 *   { name, message, fields } ──▶ an error of its class: the language's, the framework's, one that was thrown here before
 *
 * Each call gets separate values, so code that changes one changes no other.
 *
 * Spec: spec/replay.md
 */
import * as framework from "framework";
import type { ErrorInfo, Json, JsonObject } from "../run/shapes.ts";
import { isList } from "../run/values.ts";

/** The snapshot of an instance; for an error with its name and message. */
export type InstanceData = Readonly<Record<string, unknown>>;
/** Functions that make instances from their snapshots, by the name of their class. */
export type Makers = ReadonlyMap<string, (shown: InstanceData) => unknown>;

const prototypesOf = (classes: readonly (abstract new (...args: never[]) => Error)[]): ReadonlyMap<string, object> =>
  new Map(classes.map((type) => [type.name, type.prototype as object]));

const ofLanguage = prototypesOf([Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError]);
const isHttpError = (one: unknown): one is typeof framework.HttpError =>
  typeof one === "function" && (one === framework.HttpError || one.prototype instanceof framework.HttpError);
const ofFramework = prototypesOf(Object.values<unknown>(framework).filter(isHttpError));

/** Whether this is a prototype of the language's errors or of the framework's. Undefined for any other. */
export function originOf(prototype: object | null, name: string): "language" | "framework" | undefined {
  if (prototype === null) return undefined;
  if (ofLanguage.get(name) === prototype) return "language";
  return ofFramework.get(name) === prototype ? "framework" : undefined;
}

/** Whether the language has an error class of that name. */
export const isErrorOfLanguage = (name: string): boolean => ofLanguage.has(name);

/** Classes of errors that were thrown in this process, by their names, or null if two have the same name. */
export class SeenErrors {
  readonly #prototypes = new Map<string, object | null>();

  add(name: string, prototype: object): void {
    const known = this.#prototypes.get(name);
    if (known === prototype || known === null) return;
    if (known !== undefined) this.#prototypes.set(name, null);
    else if (this.#prototypes.size < 1_000) this.#prototypes.set(name, prototype);
  }

  get(name: string): object | null | undefined {
    return this.#prototypes.get(name);
  }
}

/** A bean that its own results or errors may hold. */
export interface OwnBean {
  readonly id: string;
  readonly bean: unknown;
}

/** Makes values again. */
export class Reviver {
  readonly #makers: Makers;
  readonly #seen: SeenErrors;

  constructor(makers: Makers, seen: SeenErrors) {
    this.#makers = makers;
    this.#seen = seen;
  }

  /** Whether instances of that class can be made. */
  knows(name: string): boolean {
    return this.#makers.has(name) || ofPlatform.has(name);
  }

  /** Why the error cannot be thrown again, or undefined if it can. */
  flawOfError(error: ErrorInfo): string | undefined {
    const name = classOf(error);
    if (/^(?:number|bigint|boolean|symbol|undefined|null|function)$/.test(name) && error.fields === undefined)
      return `what it threw is no error and no text: ${name}`;
    if (isThrownText(error) || this.#makers.has(name)) return undefined;
    const prototype = this.#prototypeOf(error);
    if (prototype === null) return `its error is an instance of ${name}, and there are two classes of that name`;
    if (prototype !== undefined) return undefined;
    return `its error is an instance of ${name}, which this process has not thrown yet: Devtools.create({ revive: [[${name}, (shown) => …]] }) says how one is made`;
  }

  /** The value. @param own the name of the bean that returned it, and the bean */
  value(json: Json, own?: OwnBean): unknown {
    if (typeof json !== "object" || json === null) return json;
    if (isList(json)) return json.map((item) => this.value(item, own));
    const tag = formKeyOf(json);
    const form = tag === undefined ? undefined : forms.get(tag);
    if (tag === "$bean" && own !== undefined) return own.bean;
    if (form !== undefined && tag !== undefined) return form(json[tag] ?? null, (item) => this.value(item, own));
    const fields = this.#fields(json, own);
    return tag === "$class" ? this.#instance(String(json["$class"]), fields) : fields;
  }

  /** The thrown value. @param own the name of the bean that threw it, and the bean */
  error(info: ErrorInfo, own?: OwnBean): unknown {
    const { name, message, fields = {} } = info;
    if (isThrownText(info)) return message;
    const data = this.#fields(fields, own);
    const made = this.#makers.get(classOf(info))?.({ name, message, ...data });
    if (made !== undefined) return made;
    const error = new Error(message);
    Object.setPrototypeOf(error, this.#prototypeOf(info) ?? Error.prototype);
    for (const [key, value] of Object.entries(data)) put(error, key, value, true);
    // A name from its class is there already, and without an own name, the shown one is the name of its class.
    if (error.name !== name && name !== classOf(info)) put(error, "name", name, false);
    return error;
  }

  #instance(name: string, fields: InstanceData): unknown {
    return (this.#makers.get(name) ?? ofPlatform.get(name))?.(fields);
  }

  #fields(json: JsonObject, own: OwnBean | undefined): InstanceData {
    const fields = {};
    for (const [key, item] of Object.entries(withoutForm(json)))
      put(fields, key.startsWith("$$") ? key.slice(1) : key, this.value(item, own), true);
    return fields;
  }

  #prototypeOf(error: ErrorInfo): object | null | undefined {
    const { fields, name } = error;
    if (fields === undefined || fields["$class"] === undefined) return ofLanguage.get(name);
    const className = classOf(error);
    if (fields["$from"] === "language") return ofLanguage.get(className);
    return fields["$from"] === "framework" ? ofFramework.get(className) : this.#seen.get(className);
  }
}

/** Classes of the platform that a snapshot describes in full. */
const ofPlatform: Makers = new Map<string, (shown: InstanceData) => unknown>([
  ["URL", ({ href }) => new URL(String(href))],
  ["RegExp", ({ source, flags }) => new RegExp(String(source), String(flags))],
]);

const classOf = ({ name, fields }: ErrorInfo): string => String(fields?.["$class"] ?? name);

const isThrownText = ({ name, fields }: ErrorInfo): boolean => name === "string" && fields === undefined;

type Form = (json: Json, value: (json: Json) => unknown) => unknown;

/** Forms for values that JSON lacks, and how each is read. */
const forms: ReadonlyMap<string, Form> = new Map<string, Form>([
  ["$undefined", () => undefined],
  ["$bigint", (text) => BigInt(String(text))],
  ["$number", (name) => (name === "-0" ? -0 : Number(name))],
  ["$date", (text) => new Date(String(text))],
  ["$map", (all, value) => new Map(listOf(all).map((entry) => listOf(entry).map(value) as [unknown, unknown]))],
  ["$set", (items, value) => new Set(listOf(items).map(value))],
]);

/** Whether it is a form that is read as another value. */
export const isForm = (tag: string): boolean => forms.has(tag);

/** The fields of an error without those that describe its class. */
export const withoutForm = ({ $class: _c, $from: _f, $private: _p, $hidden: _h, ...fields }: JsonObject): JsonObject =>
  fields;

/** The key that names the form of a value. Keys that are numbers come before it. */
export const formKeyOf = (json: JsonObject): string | undefined =>
  Object.keys(json).find((key) => key.startsWith("$") && !key.startsWith("$$"));

const listOf = (json: Json): readonly Json[] => (isList(json) ? json : []);

function put(target: object, key: string, value: unknown, enumerable: boolean): void {
  Object.defineProperty(target, key, { value, enumerable, configurable: true, writable: true });
}
