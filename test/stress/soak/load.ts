/**
 * Load: 64 connections over mixed routes. Each response must contain the nonce of its request.
 */
import fc from "fast-check";
import { each } from "../rows.ts";
import type { Client } from "../wires.ts";

/** Kinds of requests by weight: 20 % end in an error, 5 % are cancelled by their client. */
const kinds = [
  { weight: 5, method: "GET", name: "slow", status: 0 },
  { weight: 10, method: "GET", name: "reject", status: 409 },
  { weight: 10, method: "GET", name: "fail", status: 500 },
  { weight: 15, method: "QUERY", name: "query", status: 200 },
  { weight: 15, method: "POST", name: "body", status: 200 },
  { weight: 10, method: "GET", name: "stream", status: 200 },
  { weight: 15, method: "GET", name: "json", status: 200 },
  { weight: 20, method: "GET", name: "text", status: 200 },
];
const weighted = kinds.map((kind) => ({ weight: kind.weight, arbitrary: fc.constant(kind) }));

/** Sends the requests with the nonces from `from` to `to` (exclusive). Stops early at the deadline. */
export async function load(client: Client, from: number, to: number, seed: number, deadline: number) {
  const outcome = { responded: 0, aborted: 0, wrong: [] as string[], next: from };
  /** A nonce with its kind, from the seed, a thousand at a time. */
  function* requests() {
    for (let round = seed + from; ; round += 1)
      for (const kind of fc.sample(fc.oneof(...weighted), { seed: round, numRuns: 1_000 })) {
        if (outcome.next >= to || performance.now() > deadline) return;
        yield { ...kind, nonce: outcome.next };
        outcome.next += 1;
      }
  }
  await each(requests(), 64, async ({ method, name, status, nonce }) => {
    const hasBody = method !== "GET";
    const headers = { "X-Request-Id": `n${nonce}`, ...(hasBody && { "Content-Type": "application/json" }) };
    const body = hasBody ? JSON.stringify({ nonce }) : undefined;
    const sent = { method, path: `/r/${name}/${nonce}`, headers, body };
    const signal = name === "slow" ? { signal: AbortSignal.timeout(15) } : {};
    try {
      const response = await client.get({ ...sent, ...signal });
      outcome.responded += 1;
      const isOwn =
        response.headers["x-request-id"] === `n${nonce}` && (status === 500 || response.text.includes(`${nonce}`));
      if ((response.status !== status && name !== "slow") || !isOwn)
        outcome.wrong.push(`${sent.path}: ${response.status} ${response.text.slice(0, 80)}`);
    } catch (error) {
      if (name === "slow") outcome.aborted += 1;
      else outcome.wrong.push(`${sent.path}: ${String(error)}`);
    }
  });
  return outcome;
}
