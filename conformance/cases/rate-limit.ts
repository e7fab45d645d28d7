/** Rate limits. Spec: rate-limit.md (RATE). */
import { proves } from "../kit/case.ts";
import type { Probe } from "../kit/probe.ts";
import type { HttpResponse } from "../kit/response.ts";

/** Asks as one client so many times, one after the other. */
async function asked(probe: Probe, client: string, times: number): Promise<readonly HttpResponse[]> {
  const responses: HttpResponse[] = [];
  for (let count = 0; count < times; count += 1) responses.push(await probe.send("GET", `/limited/${client}`));
  return responses;
}

/** The members of a list of structured items: a name, and its numbers by letter. */
function members(response: HttpResponse, field: string): readonly (readonly [string, Record<string, number>])[] {
  return response.list(field).map((member) => {
    const [name = "", ...parameters] = member.split(";").map((part) => part.trim());
    const numbers = parameters.map((one) => one.split("=")).map(([letter = "", value]) => [letter, Number(value)]);
    return [name, Object.fromEntries(numbers) as Record<string, number>];
  });
}

/** The cases of this chapter. */
export const rateLimit = [
  proves("RATE-001", "responds with a problem of 429 once the bucket is empty", async (probe) => {
    const responses = await asked(probe, probe.token(), 4);
    probe.equal(
      "statuses and types",
      responses.map((response) => [response.status, response.type]),
      [...[1, 2, 3].map(() => [200, "application/json"]), [429, "application/problem+json"]],
    );
  }),

  proves("RATE-002", "says after how many seconds to try again", async (probe) => {
    const last = (await asked(probe, probe.token(), 4)).at(-1);
    const seconds = last?.header("retry-after") ?? "";
    probe.equal(
      "whole seconds from 1 to 20",
      /^\d+$/.test(seconds) && Number(seconds) >= 1 && Number(seconds) <= 20,
      true,
    );
  }),

  proves("RATE-003", "names the policy on each response", async (probe) => {
    const responses = await asked(probe, probe.token(), 4);
    probe.equal(
      "the policies",
      responses.map((response) => members(response, "ratelimit-policy").map(([name, { q, w }]) => [name, { q, w }])),
      responses.map(() => [['"subject"', { q: 3, w: 60 }]]),
    );
  }),

  proves("RATE-004", "says how many tokens are left, and when all are back", async (probe) => {
    const seen = (await asked(probe, probe.token(), 4)).flatMap((response) => members(response, "ratelimit"));
    probe.equal(
      "what is left",
      seen.map(([name, { r, t = 0 }], at) => [name, r, t > at * 10 && t <= Math.min(60, (at + 1) * 20)]),
      [2, 1, 0, 0].map((left) => ['"subject"', left, true]),
    );
  }),

  proves("RATE-005", "counts each client alone", async (probe) => {
    const token = probe.token();
    const spent = (await asked(probe, token, 4)).at(-1);
    const [other] = await asked(probe, `${token}-other`, 1);
    probe.equal(
      "the statuses of a client whose bucket is empty, and of another",
      [spent?.status, other?.status],
      [429, 200],
    );
  }),
];
