/** In pino, a log line is a leaf. pino publishes it just before it writes it. */
import type { Message, Source } from "../channels.ts";
import type { Description } from "../descriptions.ts";

/** The channel of pino's lines. */
export const pino: Source = (hub, leaves) =>
  hub.on("tracing:pino_asJson:start", (message) => leaves.line("pino", () => describe(message as Message)));

function describe({ instance, arguments: given }: Message): Description {
  const [fields, text, number] = given as ArrayLike<unknown> as readonly unknown[];
  const labels = (instance as { levels?: { labels?: Message } } | undefined)?.levels?.labels;
  return { level: labels?.[String(number)] ?? String(number), message: text, fields };
}
