/**
 * Load: 64 keep-alive connections over mixed routes; each request carries its own nonce, each answer must carry it back.
 */
import { Agent, request } from "node:http";
import { Random } from "../prng.ts";

/** What the clients saw. */
export interface Outcome {
  answered: number;
  aborted: number;
  /** Answers with another status or another nonce than theirs. */
  readonly wrong: string[];
}

interface Kind {
  readonly method: string;
  readonly name: string;
  readonly status: number;
  readonly hasBody?: boolean;
}

/** 20 % of the requests end in an error, 5 % are given up by their client. */
const kinds: readonly (readonly [share: number, kind: Kind])[] = [
  [0.05, { method: "GET", name: "slow", status: 0 }],
  [0.1, { method: "GET", name: "refuse", status: 409 }],
  [0.1, { method: "GET", name: "fail", status: 500 }],
  [0.15, { method: "QUERY", name: "query", status: 200, hasBody: true }],
  [0.15, { method: "POST", name: "body", status: 200, hasBody: true }],
  [0.1, { method: "GET", name: "stream", status: 200 }],
  [0.15, { method: "GET", name: "json", status: 200 }],
  [1, { method: "GET", name: "text", status: 200 }],
];

function pick(random: Random): Kind {
  let at = random.next();
  for (const [share, kind] of kinds) {
    if (at < share) return kind;
    at -= share;
  }
  throw new Error("the shares do not add up");
}

/** Sends the requests with the nonces `from` up to, not including, `to`; stops early at the deadline. */
export async function load(
  port: number,
  from: number,
  to: number,
  seed: number,
  deadline: number,
): Promise<Outcome & { next: number }> {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const random = new Random(seed + from);
  const outcome = { answered: 0, aborted: 0, wrong: [], next: from };
  const client = async (): Promise<void> => {
    while (outcome.next < to && performance.now() < deadline) {
      const nonce = outcome.next;
      outcome.next += 1;
      await one(agent, port, pick(random), nonce, outcome);
    }
  };
  await Promise.all(Array.from({ length: 64 }, client));
  agent.destroy();
  return outcome;
}

function one(agent: Agent, port: number, kind: Kind, nonce: number, outcome: Outcome): Promise<void> {
  return new Promise((resolve) => {
    const body = kind.hasBody === true ? JSON.stringify({ nonce }) : undefined;
    const headers = {
      "X-Request-Id": `n${nonce}`,
      ...(body === undefined ? {} : { "Content-Type": "application/json", "Content-Length": body.length }),
    };
    const isGivenUp = kind.name === "slow";
    const path = `/r/${kind.name}/${nonce}`;
    const sent = request({ agent, port, host: "127.0.0.1", method: kind.method, path, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      response.once("end", () => {
        outcome.answered += 1;
        const isOwn =
          response.headers["x-request-id"] === `n${nonce}` && (kind.status === 500 || text.includes(String(nonce)));
        if ((response.statusCode !== kind.status && !isGivenUp) || !isOwn)
          outcome.wrong.push(`${path}: ${response.statusCode} ${text.slice(0, 80)}`);
        resolve();
      });
    });
    sent.once("error", (error) => {
      if (isGivenUp) outcome.aborted += 1;
      else outcome.wrong.push(`${path}: ${error.message}`);
      resolve();
    });
    if (isGivenUp) sent.once("socket", () => setTimeout(() => sent.destroy(), 15));
    sent.end(body);
  });
}
