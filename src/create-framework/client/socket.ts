/**
 * WebSockets: an operation with `x-websocket`, and the types of its messages.
 *
 *   x-websocket: { incoming, outgoing } ──▶ TypedSocket<ChatSent, ChatReceived>
 *
 * A message with a schema is JSON. Without one it is a text or bytes, as it is.
 */
import { isJson, objectIn } from "../document/json.ts";
import type { Operation } from "../document/operations.ts";
import type { Types } from "./types.ts";

/** The messages of one direction. */
export interface ClientMessages {
  readonly name: string;
  readonly type: string;
  readonly kind: "json" | "raw";
}

/** The messages that a client sends, and those that it receives. */
export interface ClientSocket {
  readonly sent: ClientMessages;
  readonly received: ClientMessages;
}

/** The WebSocket of an operation, if it is one. @param take takes the names of the two types */
export function socketOf(
  { method, value }: Operation,
  types: Types,
  take: () => { readonly sent: string; readonly received: string },
): ClientSocket | undefined {
  const given = value["x-websocket"];
  if (method !== "GET" || !isJson(given)) return undefined;
  const { incoming, outgoing } = objectIn(given);
  const names = take();
  const of = (name: string, schema: unknown, side: "input" | "output"): ClientMessages =>
    schema === undefined
      ? { name, type: "string | ArrayBuffer", kind: "raw" }
      : { name, type: types.of(schema, "  ", side), kind: "json" };
  return { sent: of(names.sent, incoming, "input"), received: of(names.received, outgoing, "output") };
}
