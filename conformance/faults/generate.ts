/** Every fault, from the shapes of spec/, the headers that its clauses name, and the messages of the conformant subject. */
import type { Chapter } from "../kit/chapters.ts";
import type { Ran } from "../kit/run.ts";
import { shapes } from "./documents.ts";
import type { Fault } from "./fault.ts";
import { faultsOfMessages } from "./of-messages.ts";
import { faultsOfSecrets } from "./of-secrets.ts";
import { faultsOfShape } from "./of-shapes.ts";
import { faultsOfStreams } from "./of-streams.ts";

/** Every fault that could be observed in the messages of the cases. */
export function generateFaults(ran: readonly Ran[], chapters: readonly Chapter[]): readonly Fault[] {
  const seen = { exchanges: ran.flatMap(({ exchanges }) => exchanges), steps: ran.flatMap(({ steps }) => steps) };
  return [
    ...shapes.flatMap((shape) => [
      ...faultsOfShape(shape, seen),
      ...(shape.name === "Trace" ? faultsOfSecrets(shape, seen) : []),
    ]),
    ...faultsOfMessages(seen.exchanges, headersNamed(chapters, seen.exchanges)),
    ...faultsOfStreams(seen.steps),
  ];
}

/** Framing is between the client and the connection, since a relay frames a body again. */
const framing = new Set(["content-length", "transfer-encoding", "connection", "keep-alive", "date"]);

/** The headers of the messages that a clause names in backticks, each with the first such chapter. */
export function headersNamed(
  chapters: readonly Chapter[],
  exchanges: readonly { readonly headers: Ran["exchanges"][number]["headers"] }[],
): ReadonlyMap<string, string> {
  const passed = new Set(exchanges.flatMap(({ headers }) => headers.map(([name]) => name.toLowerCase())));
  const found = new Map<string, string>();
  for (const { name: chapter, clauses } of chapters)
    for (const { sentence } of clauses)
      for (const [, quoted = ""] of sentence.matchAll(/`([^`]+)`/g)) {
        const [header = ""] = quoted.toLowerCase().split(/[:\s]/);
        if (passed.has(header) && !framing.has(header) && !found.has(header)) found.set(header, chapter);
      }
  return found;
}
