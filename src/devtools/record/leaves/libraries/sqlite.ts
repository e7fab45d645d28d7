/** In `node:sqlite`, a statement is a leaf. Node publishes it at its end, with its parameters in the text. */
import type { Message, Source } from "../channels.ts";
import type { Description } from "../descriptions.ts";

/** The channel of Node's statements. */
export const sqlite: Source = (hub, leaves) =>
  hub.on("sqlite.db.query", (message) => leaves.add("sqlite.db.query", "sql", () => describe(message as Message)));

const describe = ({ sql, duration }: Message): Description => ({
  system: "sqlite",
  statement: sql,
  ...(typeof duration === "number" || typeof duration === "bigint" ? { durationMs: Number(duration) / 1e6 } : {}),
});
