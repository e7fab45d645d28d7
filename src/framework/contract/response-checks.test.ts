/** Unit tests of response checks: what of a response breaks its contract (CONTRACT). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Compile } from "typebox/compile";
import { z } from "zod";
import type { Contract } from "./contract.ts";
import { responseCheck, type SentResponse } from "./response-checks.ts";

const Order = z.object({ id: z.string() });

/** The messages of a response's issues, each behind its pointer. */
async function issuesOf(contracts: readonly Contract[], sent: Partial<SentResponse>): Promise<unknown> {
  const check = responseCheck("GET /a", contracts, Compile as never);
  const issues = await check?.({ status: 200, type: "application/json", isJson: true, body: undefined, ...sent });
  return issues?.map(({ path, pointer, message }) => [path, pointer, message]);
}
const whole = (message: string): unknown => [[[], "", message]];

describe("responseCheck", () => {
  test("CONTRACT-017: checks nothing where no contract declares a response", async () => {
    assert.deepEqual(
      [await issuesOf([], {}), await issuesOf([{}, { query: Order }], {}), await issuesOf([{ responses: {} }], {})],
      [undefined, undefined, whole("the status 200 is not in the contract, which names ")],
    );
  });

  test("CONTRACT-018: knows the statuses of every contract, the route's own before its groups'", async () => {
    const contracts: readonly Contract[] = [
      { responses: { 200: z.string(), 201: null } },
      {},
      { responses: { 200: Order } },
    ];
    assert.deepEqual(await issuesOf(contracts, { body: '{"id":"1"}' }), []);
    assert.deepEqual(
      await issuesOf(contracts, { status: 202 }),
      whole("the status 202 is not in the contract, which names 200, 201"),
    );
  });

  test("CONTRACT-018: a 304 and a problem break no contract that does not name them", async () => {
    const type = "application/problem+json";
    const issues = async (status: number, media?: string): Promise<unknown> =>
      issuesOf([{ responses: { 200: Order } }], { status, type: media });
    const unknown = (status: number): unknown => whole(`the status ${status} is not in the contract, which names 200`);
    assert.deepEqual(
      [await issues(304), await issues(400, type), await issues(500, type), await issues(400), await issues(399, type)],
      [[], [], [], unknown(400), unknown(399)],
    );
  });

  test("CONTRACT-018: content breaks a contract that declares none, as none does one that declares it", async () => {
    const contracts: readonly Contract[] = [{ responses: { 200: Order, 204: null } }];
    assert.deepEqual(await issuesOf(contracts, { status: 204 }), []);
    assert.deepEqual(await issuesOf(contracts, { status: 204, body: "" }), whole("no content was declared for 204"));
    assert.deepEqual(await issuesOf(contracts, {}), whole("200 was sent without content"));
  });

  test("CONTRACT-018: looks into texts: JSON as a client parses it, what is none as it is, bytes not at all", async () => {
    const contracts: readonly Contract[] = [{ responses: { 200: z.literal("1") } }];
    const message = 'Invalid input: expected "1"';
    assert.deepEqual(await issuesOf(contracts, { body: '"1"' }), []);
    assert.deepEqual(await issuesOf(contracts, { body: "1" }), whole(message));
    assert.deepEqual(await issuesOf(contracts, { body: "1", isJson: false }), []);
    assert.deepEqual(await issuesOf(contracts, { body: "{" }), whole(message));
    assert.deepEqual(await issuesOf([{ responses: { 200: z.literal("{") } }], { body: "{" }), []);
    assert.deepEqual(await issuesOf(contracts, { body: new Uint8Array(1) }), []);
  });

  test("CONTRACT-015: names the response whose JSON Schema nothing compiles", () => {
    assert.throws(() => responseCheck("GET /a", [{ responses: { 200: { type: "string" } } }], undefined), {
      code: "CONTRACT_INVALID",
      message: /^GET \/a: its response 200 is a JSON Schema, and nothing compiles it: /,
    });
  });
});
