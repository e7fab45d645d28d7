/**
 * issues: the rejected values of a request, while the editor still holds them.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { okResponse, runOf, settled, stage, stageRoutes } from "../testing/stage.ts";
import { selectionSlice } from "../store/selection.ts";
import type { Draft } from "./draft-text.ts";
import { draftsSlice } from "./drafts.ts";
import { issuesOf, issuesSlice, unlistedIn } from "./issues.ts";
import type { ReceivedResponse } from "./receive.ts";
import { sendSlice } from "./send.ts";

const rejectedWith = (body: unknown, status = 422): ReceivedResponse => ({
  ...okResponse,
  status,
  headers: [["content-type", "application/problem+json"]],
  bytes: new TextEncoder().encode(JSON.stringify(body)),
});
const sent: Draft = {
  params: { id: "x" },
  query: "page=a&page=b",
  headers: [["X-Tenant", "t"]],
  body: '{"lines":[{"a/b":1}]}',
};
const errors = [
  { in: "body", path: ["lines", 0, "a/b"], message: "wrong" },
  { in: "query", path: ["page"], message: "one" },
  { in: "params", path: ["id"], message: "number" },
  { in: "headers", path: ["x-tenant"], message: "long" },
  { path: [], message: "bad" },
];
const places = (draft: Draft, body = sent.body): string[] =>
  issuesOf(rejectedWith({ errors }), { ...sent, body }, draft).map(({ part, pointer }) => part + pointer);

describe("issuesOf", () => {
  test("reads the issues of a problem: part, pointer, message", () => {
    assert.deepEqual(issuesOf(rejectedWith({ errors }), sent, sent), [
      { part: "body", pointer: "/lines/0/a~1b", message: "wrong" },
      { part: "query", pointer: "/page", message: "one" },
      { part: "params", pointer: "/id", message: "number" },
      { part: "headers", pointer: "/x-tenant", message: "long" },
      { part: "body", pointer: "", message: "bad" },
    ]);
  });

  test("DASH-149: leaves out only issues with an edited value", () => {
    const left = ["query/page", "params/id", "headers/x-tenant"];
    assert.deepEqual(places({ ...sent, body: '{ "lines": [{ "a/b": 1, "c": 2 }] }' }), ["body/lines/0/a~1b", ...left]);
    assert.deepEqual(places({ ...sent, body: '{"lines":[{"a/b":2}]}' }), left);
    assert.deepEqual(places({ ...sent, body: "{" }), left);
    assert.deepEqual(places({ ...sent, query: "page=a", params: { id: "y" } }), [
      "body/lines/0/a~1b",
      "headers/x-tenant",
      "body",
    ]);
  });

  test("reads the fields of a form's body", () => {
    const [was, is] = [
      { ...sent, body: "name=a&age=1" },
      { ...sent, body: "name=a&age=2" },
    ];
    const all = rejectedWith({
      errors: [
        { in: "body", path: ["name"], message: "long" },
        { in: "body", path: ["age"], message: "old" },
      ],
    });
    assert.deepEqual(issuesOf(all, was, is), [{ part: "body", pointer: "/name", message: "long" }]);
  });

  test("is empty for any other response", () => {
    const odd = [
      rejectedWith({ errors }, 200),
      rejectedWith({ errors }, 500),
      rejectedWith({ errors: "x" }),
      rejectedWith({ errors: [null, 1, { in: "trailers", path: [], message: "" }, { in: "body", path: "x" }] }),
      rejectedWith([]),
      okResponse,
    ];
    assert.deepEqual(
      odd.map((response) => issuesOf(response, sent, sent)),
      odd.map(() => []),
    );
  });
});

test("DASH-149: issuesSlice has the issues of the last Send, until the next one", async () => {
  let next = rejectedWith({ errors: [{ in: "params", path: ["id"], message: "number" }], moreErrors: 7 });
  const { use } = await stage({ traces: [runOf(1)], onSend: () => next });
  const [route] = stageRoutes;
  use(selectionSlice).selectRoute(`${route?.method} ${route?.path}`);
  const issues = use(issuesSlice);
  const unlisted = (): number => unlistedIn(use(sendSlice).exchange.value?.response);
  assert.deepEqual([issues.value, unlisted()], [[], Number.NaN]);
  await use(sendSlice).send();
  await settled();
  assert.deepEqual(issues.value, [{ part: "params", pointer: "/id", message: "number" }]);
  assert.equal(unlisted(), 7);
  use(draftsSlice).setDraft({ params: { id: "7" } });
  assert.deepEqual(issues.value, []);
  use(draftsSlice).setDraft({ params: { id: "1" } });
  assert.equal(issues.value.length, 1);
  next = okResponse;
  await use(sendSlice).send();
  assert.deepEqual(issues.value, []);
});
