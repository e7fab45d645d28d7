/**
 * The declared messages of a WebSocket route, ready for a connection.
 *
 *   text ──▶ JSON ──▶ schema ──▶ { value } for the handler
 *     │        │        └─ rejected: close with 4400
 *     └────────┴─ no text, no JSON, nested too deeply: close with 1007
 *   value ──▶ as the mode of the response checks says ──▶ JSON
 *
 * Spec: spec/websocket.md
 */
import type { Contract } from "../contract/contract.ts";
import { validatorOf } from "../contract/input.ts";
import { type Checked, checkerOf, isRejected, listed } from "../contract/schema.ts";
import { HttpError } from "../internal/errors.ts";
import { isThenable } from "../internal/thenable.ts";
import { parseJson } from "./body.ts";
import type { Context } from "./context.ts";
import { type DeclaredSettings, itemJson } from "./declared-responses.ts";
import type { ReadMessage } from "./upgrade.ts";

/** The declared messages of a route. */
export interface DeclaredMessages {
  /** Reads a message of the client. A promise only when its schema is asynchronous. Undefined when none is declared. */
  readonly read: ((message: string | Uint8Array) => ReadMessage | Promise<ReadMessage>) | undefined;
  /** The text of a message to the client. Undefined when none is declared. @throws Error when it must not be sent. */
  readonly write: ((ctx: Context, message: unknown) => string) | undefined;
}

/** The payload is not what the protocol or its JSON needs (RFC 6455 §7.4.1). */
const INVALID_PAYLOAD = 1007;
/** The message is JSON, and its schema rejects it. A private code (RFC 6455 §7.4.2), as HTTP's 400. */
const REJECTED = 4400;

/** The longest reason of a close frame in bytes (RFC 6455 §5.5). */
const maxReason = 123;

/**
 * The declared messages of a WebSocket route. Undefined when it declares none.
 *
 * @throws TypeError (`CONTRACT_INVALID`) naming the route when a JSON Schema cannot be compiled.
 */
export function declaredMessages(
  where: string,
  { incoming, outgoing }: Contract,
  settings: DeclaredSettings & { readonly jsonDepth: number },
): DeclaredMessages | undefined {
  if (incoming === undefined && outgoing === undefined) return undefined;
  return {
    read:
      incoming &&
      reader(
        checkerOf(validatorOf(`${where}: its incoming message`, incoming, settings.compileSchema)),
        settings.jsonDepth,
      ),
    write: outgoing && itemJson(`${where}: its outgoing message`, outgoing, settings),
  };
}

function reader(check: ReturnType<typeof checkerOf>, jsonDepth: number): NonNullable<DeclaredMessages["read"]> {
  return function readMessage(message) {
    if (typeof message !== "string") return { code: INVALID_PAYLOAD, reason: "the message is binary: JSON is text" };
    let value: unknown;
    try {
      value = parseJson(message, jsonDepth, "the message");
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      return { code: INVALID_PAYLOAD, reason: shortened(error.message) };
    }
    const checked = check(value);
    return isThenable(checked) ? checked.then(readOf) : readOf(checked);
  };
}

function readOf(checked: Checked): ReadMessage {
  if (!isRejected(checked)) return checked;
  const [{ pointer = "", message } = { message: "rejected" }] = listed([[undefined, checked.issues]])[0];
  return { code: REJECTED, reason: shortened(pointer === "" ? message : `${pointer}: ${message}`) };
}

/** A text of at most 123 bytes, cut between characters. */
function shortened(text: string): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maxReason));
  return text.slice(0, read);
}
