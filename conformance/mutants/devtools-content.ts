/** Devtools that lack what the document says they hold, by whatever name. */
import type { RequirementId } from "../../spec/requirements.ts";
import { graphPath, requestsPath, routesPath, streamPath } from "../kit/devtools.ts";
import { breaks, breaksStream, editObject, type Mutant } from "../kit/mutant.ts";

/** Rewrites the list of traces as text where this word stands in it. */
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

/** The mutants of what stands in devtools. */
export const devtoolsContent = [
  breaks("routes-lose-a-pattern", ["DEV-081"], (exchange) =>
    exchange.sent.target === `${routesPath}?about=any-name`
      ? { ...exchange, body: exchange.body.replaceAll("/parallel", "/other") }
      : exchange,
  ),
  spoilsList("traces-the-oldest-first", "DEV-082", "any-order", (list) => list.toReversed()),
  spoilsList("traces-are-kept-for-ever", "DEV-083", "any-last", (list) => [...list, ...list.slice(0, 4)]),
  breaks("graph-forgets-a-bean", ["GRAPH-014"], (exchange) =>
    exchange.sent.target === `${graphPath}?about=any-name`
      ? { ...exchange, body: exchange.body.replaceAll("Mailer", "Sender") }
      : exchange,
  ),
  breaks("graph-lists-all-as-unspied", ["GRAPH-015"], (exchange) =>
    exchange.sent.target === `${graphPath}?about=any-name`
      ? editObject(exchange, (graph) => ({ ...graph, unspied: ["Database", "Mailer"] }))
      : exchange,
  ),
  spoilsList("requests-leave-two-traces", "TRACE-112", "any-once", (list) => [...list, ...list]),
  spoilsEntries("traces-have-other-ids", "TRACE-113", "any-request-id", (text) =>
    text.replaceAll(/"[0-9a-f]{8}-[0-9a-f-]{27}"/g, '"another"'),
  ),
  spoilsEntries("traces-forget-the-dashboard", "TRACE-114", "any-dashboard", (text) =>
    text.replaceAll(/"[0-9a-f]{16}"/g, '"another"'),
  ),
  spoilsEntries("traces-have-no-response", "TRACE-115", "any-inputs", (text) => text.replaceAll("contentType", "type")),
  spoilsEntries("traces-forget-a-bean", "TRACE-116", "any-calls", (text) => text.replaceAll("Pricing", "")),
  breaksStream("streams-are-silent", ["STREAM-018"], ({ sent, item }) =>
    sent.target === `${streamPath}?about=any-name` && item.kind === "event" ? [] : [item],
  ),
];
