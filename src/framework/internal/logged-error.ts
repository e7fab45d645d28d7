/**
 * Errors in log lines: the data that explains them, as plain data.
 *
 *   TypeError: fetch failed ──▶ name, message, stack, code, own members
 *     └─ cause: ECONNREFUSED ──▶ the same, and so on        errors of an AggregateError ──▶ a list of the same
 *
 * An error may be anything: a cycle, a proxy, thousands of errors in one, members with throwing getters. Unreadable members are
 * left out, long data is cut, and nothing throws. Object members are left out, because errors of HTTP clients carry whole
 * requests, including credentials.
 *
 * Spec: spec/log.md
 */

/** An error, or its cause, as data. */
export interface LoggedError {
  readonly [member: string]: string | number | boolean | null | LoggedError | readonly LoggedCause[];
}

/** A nested error, or a text that replaces omitted ones. */
export type LoggedCause = string | number | boolean | null | LoggedError;

/** Maximum number of errors in one line, including nested ones. */
const maxErrors = 20;
/** Maximum members of one error, in addition to name, message, stack, code, cause and errors. */
const maxMembers = 20;
/** Maximum characters of one text, and of all texts in a line. */
const maxText = 8_192;
const maxCharacters = 65_536;

/** Is that an error, also of another realm? */
export function isError(value: unknown): value is Error {
  try {
    return value instanceof Error || Object.prototype.toString.call(value) === "[object Error]";
  } catch {
    return false;
  }
}

/** `error`, which may be any thrown value, as data. Never throws. */
export function loggedError(error: object): LoggedError {
  return described(error, { errors: maxErrors, characters: maxCharacters, path: [] });
}

/** The reason in a few words: the message, and those of its cause and of its errors. Never throws. */
export const reasonOf = (error: Error): string => reason(loggedError(error));

interface Room {
  errors: number;
  characters: number;
  /** The errors around the described one. */
  readonly path: object[];
}

function described(error: object, room: Room): LoggedError {
  room.errors -= 1;
  room.path.push(error);
  const found: Record<string, LoggedError[string]> = {};
  for (const name of isError(error) ? ["name", "message", "stack", "code"] : []) {
    const value = simple(read(error, name), room);
    if (value !== undefined) found[name] = value;
  }
  for (const [name, value] of ownMembers(error)) {
    const text = simple(value, room);
    if (text !== undefined && !Object.hasOwn(found, name))
      Object.defineProperty(found, name, { ...plain, value: text });
  }
  const cause = related(read(error, "cause"), room);
  if (cause !== undefined) found["cause"] = cause;
  const errors = listed(read(error, "errors"), room);
  if (errors !== undefined) found["errors"] = errors;
  room.path.pop();
  return found;
}

const plain: PropertyDescriptor = { enumerable: true, configurable: true, writable: true };

/** A cause, or one of several errors. Undefined when it is around this one, and when there is no space for it. */
function related(value: unknown, room: Room): LoggedCause | undefined {
  if (typeof value !== "object" || value === null) return value === null ? undefined : simple(value, room);
  return room.errors > 0 && !room.path.includes(value) ? described(value, room) : undefined;
}

function listed(errors: unknown, room: Room): LoggedCause[] | undefined {
  try {
    if (!Array.isArray(errors) || errors.length === 0) return undefined;
    const found: LoggedCause[] = [];
    const shown = Math.min(errors.length, room.errors);
    for (let at = 0; at < shown && room.errors > 0; at += 1) {
      const one = related(errors[at], room);
      if (one !== undefined) found.push(one);
    }
    return found.length === errors.length ? found : [...found, `… ${errors.length - found.length} more`];
  } catch {
    return undefined; // It is a proxy whose traps throw.
  }
}

/** A text, number or similar as in JSON. Undefined for everything else. */
function simple(value: unknown, room: Room): string | number | boolean | null | undefined {
  if (value === null || typeof value === "number" || typeof value === "boolean") return value;
  if (typeof value !== "string" && typeof value !== "bigint") return undefined;
  const text = String(value);
  const most = Math.min(maxText, room.characters);
  room.characters -= Math.min(text.length, most);
  return text.length <= most ? text : `${text.slice(0, most)}…`;
}

/** The enumerable members without getters. */
function ownMembers(error: object): [name: string, value: unknown][] {
  try {
    const members: [string, unknown][] = [];
    for (const name of Object.keys(error)) {
      if (members.length === maxMembers) break;
      const value: unknown = Object.getOwnPropertyDescriptor(error, name)?.value;
      if (simple(value, { errors: 0, characters: 1, path: [] }) !== undefined) members.push([name, value]);
    }
    return members;
  } catch {
    return []; // It is a proxy whose traps throw.
  }
}

function read(from: object, name: string): unknown {
  try {
    return Reflect.get(from, name);
  } catch {
    return undefined; // Its getter throws.
  }
}

function reason(error: LoggedCause): string {
  if (typeof error !== "object" || error === null) return String(error);
  const { message, code, name, cause, errors } = error;
  const own = [message, code, name].find((text) => text !== undefined && text !== "") ?? "";
  const inner = Array.isArray(errors) ? errors.map(reason).join(", ") : "";
  const said = inner === "" ? String(own) : message === "" ? inner : `${String(own)} (${inner})`;
  return cause === undefined ? said : `${said} (caused by ${reason(cause as LoggedCause)})`;
}
