/**
 * The content of devtools, independent of field names. The document specifies the content of a trace and the graph, but not
 * the field names, so these cases look for values anywhere. Specs: devtools.md (DEV), graph.md (GRAPH), trace.md (TRACE),
 * stream.md (STREAM).
 */
import { Type } from "typebox";
import { proves } from "../kit/case.ts";
import { graphPath, requestsPath, streamPath } from "../kit/devtools.ts";
import type { Probe } from "../kit/probe.ts";
import { entriesWith } from "../kit/traces.ts";

const Entries = Type.Array(Type.Unknown());
const Graph = Type.Object({
  nodes: Type.Array(Type.Unknown()),
  edges: Type.Array(Type.Unknown()),
  unspied: Type.Array(Type.Unknown()),
});

const beans = ["Catalog", "Leaf", "Mailer", "OrderController", "OrderRepository", "OrderService", "Pricing"];

/** A bean that is bound as a class. */
const untraceable = "Database";

const textOf = (value: unknown): string => JSON.stringify(value);

/** The words that occur in the text as whole words. */
const named = (words: readonly string[], text: string): readonly string[] =>
  words.filter((word) => new RegExp(`\\b${word}\\b`).test(text));

/** The one trace with the word, empty if there are several. */
async function entryWith(probe: Probe, word: string): Promise<string> {
  const [entry = "", ...others] = (await entriesWith(probe, word)).filter((one) => one.includes(word));
  return others.length === 0 ? entry : "";
}

/** The cases of this chapter that are not vectors. */
export const devtoolsContent = [
  proves("DEV-083", "keeps the last 100 traces", async (probe) => {
    const word = probe.token();
    const paths = Array.from({ length: 104 }, (_, at) => `/users/${word}/posts/${at}`);
    await Promise.all(paths.slice(0, 4).map((path) => probe.send("GET", `${path}?about=any-first`)));
    await entriesWith(probe, word);
    for (let at = 4; at < paths.length; at += 20)
      await Promise.all(paths.slice(at, at + 20).map((path) => probe.send("GET", `${path}?about=any-last`)));
    const entries = await probe.eventually("a hundred traces of the last requests", async () => {
      const found = probe.json(Entries, await probe.send("GET", requestsPath)).map(textOf);
      return found.filter((entry) => entry.includes("any-last")).length < 75 ? undefined : found;
    });
    probe.equal("how many traces are kept", entries.length, 100);
  }),

  proves("GRAPH-015", "lists beans bound as a class as unspied, and no others", async (probe) => {
    const { unspied } = probe.json(Graph, await probe.send("GET", `${graphPath}?about=any-name`));
    probe.equal("the unspied", named([...beans, untraceable], textOf(unspied)), [untraceable]);
  }),

  proves("TRACE-112", "has one trace for each request, for any handler", async (probe) => {
    const words = [probe.token(), probe.token(), probe.token()];
    const [handled = "", missed = "", healthy = ""] = words;
    await probe.send("GET", `/users/1?about=any-once-${handled}`);
    await probe.send("GET", `/nowhere?about=any-once-${missed}`);
    await probe.send("GET", `/health?about=any-once-${healthy}`);
    const last = probe.token();
    await probe.send("GET", `/users/1?about=any-once-${last}`);
    const entries = await entriesWith(probe, last);
    const counts = words.map((word) => entries.filter((entry) => entry.includes(word)).length);
    probe.equal("how many traces each has", counts, [1, 1, 1]);
  }),

  proves("TRACE-115", "has the route, the inputs and the response's body", async (probe) => {
    const [query, item] = [probe.token(), probe.token()];
    await probe.send("QUERY", `/api/search?about=any-inputs-${query}`, { json: { item } });
    const entry = await entryWith(probe, query);
    const routed = probe.token();
    await probe.send("GET", `/users/${routed}`);
    const seen = {
      route: (await entryWith(probe, routed)).includes("/users/{id}"),
      query: entry.includes(query),
      body: entry.includes(item),
      // A word of the response that does not occur in the request.
      response: entry.includes("contentType"),
    };
    probe.equal("what is there", seen, { route: true, query: true, body: true, response: true });
  }),

  proves("TRACE-116", "has the called beans, with arguments and results", async (probe) => {
    const word = probe.token();
    await probe.send("POST", `/orders?about=any-calls-${word}`, { json: { item: `tea-${word}`, total: 150 } });
    const entry = await entryWith(probe, word);
    const called = ["OrderController", "OrderService", "Catalog", "Pricing", "OrderRepository", "Mailer"];
    // The item occurs at least in the request's body, in arguments of two beans and in a result.
    const items = entry.split(`tea-${word}`).length - 1;
    probe.equal(
      "the beans, and whether the item is in their calls",
      [...named(called, entry), items >= 4],
      [...called, true],
    );
  }),

  proves("STREAM-018", "sends each trace when its request is complete", async (probe) => {
    const word = probe.token();
    const open = await probe.eventually("a place at the stream", async () => {
      const stream = await probe.stream(`${streamPath}?about=any-name`);
      return stream.response.status === 200 ? stream : undefined;
    });
    await probe.send("QUERY", "/search", { json: { item: word } });
    await open.next(
      "the trace of the request",
      ({ kind, data }) => kind === "event" && data.includes(word) && data.includes("contentType"),
    );
  }),
];
