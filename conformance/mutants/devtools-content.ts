/** Devtools without the content that the document specifies, independent of field names. */
import type { RequirementId } from "../../spec/requirements.ts";
import { requestsPath, streamPath } from "../kit/devtools.ts";
import { breaks, breaksStream, type Mutant } from "../kit/mutant.ts";

/** Rewrites the list of traces as text if it contains this word. */
function spoilsEntries(name: string, id: RequirementId, word: string, change: (text: string) => string): Mutant {
  return breaks(name, [id], (exchange) =>
    exchange.sent.target === requestsPath && exchange.body.includes(word)
      ? { ...exchange, body: change(exchange.body) }
      : exchange,
  );
}

/** The same as a list. */
function spoilsList(
  name: string,
  id: RequirementId,
  word: string,
  change: (list: readonly unknown[]) => readonly unknown[],
): Mutant {
  return spoilsEntries(name, id, word, (text) => JSON.stringify(change(JSON.parse(text) as readonly unknown[])));
}

/** The mutants of the content of devtools. */
export const devtoolsContent = [
  spoilsList("traces-are-kept-for-ever", "DEV-083", "any-last", (list) => [...list, ...list.slice(0, 4)]),
  spoilsList("requests-leave-two-traces", "TRACE-112", "any-once", (list) => [...list, ...list]),
  spoilsEntries("traces-have-other-ids", "TRACE-113", "any-request-id", (text) =>
    text.replaceAll(/"[0-9a-f]{8}-[0-9a-f-]{27}"/g, '"another"'),
  ),
  spoilsEntries("traces-forget-the-dashboard", "TRACE-114", "any-dashboard", (text) =>
    text.replaceAll(/"[0-9a-f]{16}"/g, '"another"'),
  ),
  spoilsEntries("traces-forget-a-bean", "TRACE-116", "any-calls", (text) => text.replaceAll("Pricing", "")),
  breaksStream("streams-are-silent", ["STREAM-018"], ({ sent, item }) =>
    sent.target === `${streamPath}?about=any-name` && item.kind === "event" ? [] : [item],
  ),
];
