/** Replays as data: a kept request once more, with what was recorded. Spec: replay.md (REPLAY). */
import { replaysPath } from "../kit/devtools.ts";
import { traced, type TracedOptions } from "./traces.ts";
import { holds, jsonBody, shows, step, type Step, type ValueExpectation } from "./vector.ts";

const tea = { item: "tea", total: 7 };
const run = { instance: "/instance", sequence: "/sequence" };

/** An order that was placed, under a path of its own; its run is saved. */
const placed = (about: string): readonly Step[] =>
  traced("POST", `/orders?about=${about}`, {}, { content: jsonBody(tea), saveTrace: run });

const naming = (beans: string): Record<string, string> => ({
  "x-framework-replay": `{{instance}}.{{sequence}};beans=${beans}`,
});

const replayed = (
  beans: string,
  about: string,
  order: object,
  at: Readonly<Record<string, ValueExpectation>>,
  options: TracedOptions = {},
): readonly Step[] =>
  traced("POST", `/orders?about=${about}`, at, { content: jsonBody(order, naming(beans)), mark: "b", ...options });

/** `[{"call":3,"returns":101}]`: the fourth call of an order is `Pricing.quote(7)`. */
const another = "W3siY2FsbCI6MywicmV0dXJucyI6MTAxfV0";

/** `[{"call":3,"throws":{"name":"HttpError","message":"no rate","status":503}}]`. */
const refused = "W3siY2FsbCI6MywidGhyb3dzIjp7Im5hbWUiOiJIdHRwRXJyb3IiLCJtZXNzYWdlIjoibm8gcmF0ZSIsInN0YXR1cyI6NTAzfX1d";

const ended = { status: 409, headers: { "content-type": { mediaType: "application/problem+json" } } } as const;

/** A value of the header that names no replay that can be, and the status of the problem. */
const values: Readonly<Record<string, number>> = {
  x: 400,
  "{{instance}}.{{sequence}};beans=": 400,
  "{{instance}}.{{sequence}};beans=%zz": 400,
  "{{instance}}.{{sequence}};beans=;what-if=W10": 400,
  "{{instance}}.{{sequence}};beans=;what-if=W3siY2FsbCI6OTksInJldHVybnMiOjF9XQ": 409,
  "{{instance}}.999999;beans=Pricing": 409,
  "{{instance}}.{{sequence}};beans=Nobody": 409,
  "{{instance}}.{{sequence}};beans=Database": 409,
};
const calls = ["bean", "method", "args", "result"];
const planned: readonly (readonly [bean: string, isDefault: boolean, canBe: boolean])[] = [
  ["OrderController", false, false],
  ["OrderService", false, true],
  ["Catalog", true, true],
  ["Pricing", true, true],
  ["OrderRepository", true, true],
];
const replayOf = {
  "/replayOf/instance": { is: "{{instance}}" },
  "/replayOf/sequence": { is: "{{sequence}}" },
  "/replayOf/whatIf": { present: false },
};

/** The vectors of this chapter. */
export const replay = [
  shows("REPLAY-001", "the code between runs, and what was recorded of a bean is returned", [
    step("POST", "/orders?about=replay-made", { status: 201 }, jsonBody(tea), { save: { id: { at: "/id" } } }),
    ...traced(
      "GET",
      "/orders/{{id}}?about=replay-found",
      { "/leaves/[kind=sql]": { present: true } },
      {
        save: { found: { at: "" } },
        saveTrace: { ...run, ...Object.fromEntries(calls.map((name) => [name, `/calls/*/${name}`])) },
      },
    ),
    ...traced(
      "GET",
      "/orders/{{id}}?about=replay-found",
      {
        "/leaves/[kind=sql]": { present: false },
        ...Object.fromEntries(calls.map((name) => [`/calls/*/${name}`, { is: `{{${name}}}` }])),
      },
      {
        mark: "b",
        content: { headers: naming("OrderRepository") },
        expect: { status: 200, body: { json: "{{found}}" } },
      },
    ),
  ]),
  shows("REPLAY-025", "a call of the run has the given outcome, and the code behind it goes on with that", [
    ...placed("what-if"),
    ...traced(
      "POST",
      "/orders?about=what-if",
      {
        "/status": { is: 201 },
        "/calls/[bean=Pricing]/result": { is: 101 },
        "/calls/[bean=Mailer]": { present: true },
        "/replayOf/beans": { is: [] },
        "/replayOf/whatIf/*/call": { is: [3] },
        "/replayOf/whatIf/*/returns": { is: [101] },
        "/replayOf/whatIf/0/throws": { present: false },
      },
      {
        content: jsonBody(tea, { "x-framework-replay": `{{instance}}.{{sequence}};beans=;what-if=${another}` }),
        mark: "b",
      },
    ),
    ...traced(
      "POST",
      "/orders?about=what-if",
      {
        "/calls/[bean=Pricing]/error/message": { is: "no rate" },
        "/replayOf/whatIf/*/throws/name": { is: ["HttpError"] },
        "/replayOf/whatIf/*/throws/message": { is: ["no rate"] },
        "/replayOf/whatIf/*/throws/status": { is: [503] },
        "/replayOf/whatIf/0/returns": { present: false },
        "/replayOf/whatIf/0/afterMs": { present: false },
      },
      {
        content: jsonBody(tea, { "x-framework-replay": `{{instance}}.{{sequence}};beans=;what-if=${refused}` }),
        expect: { status: 503 },
        mark: "r",
      },
    ),
    ...traced(
      "POST",
      "/orders?about=what-if-not",
      { "/calls/[bean=Pricing]/result": { is: 7 }, "/calls/[bean=Mailer]": { present: false } },
      { content: jsonBody(tea), mark: "c" },
    ),
  ]),
  shows("REPLAY-006", "a replay ends at a call with other arguments, and says which", [
    ...placed("replay-end"),
    ...replayed(
      "OrderRepository",
      "replay-end",
      { ...tea, total: 8 },
      {},
      {
        expect: {
          ...ended,
          body: [
            {
              at: {
                "/status": { is: 409 },
                "/replay/bean": { is: "OrderRepository" },
                "/replay/method": { is: "save" },
              },
            },
            { at: { "/detail": { has: "7" } } },
            { at: { "/detail": { has: "8" } } },
          ],
        },
      },
    ),
  ]),
  shows("REPLAY-010", "what names no replay that can be is rejected", [
    ...placed("replay-bad"),
    ...Object.entries(values).map(([value, status]) =>
      step(
        "POST",
        "/orders?about=replay-bad",
        { status, body: holds({ status }) },
        jsonBody(tea, { "x-framework-replay": value }),
      ),
    ),
    step(
      "GET",
      "/users/1?about=replay-bad",
      { status: 409, body: holds({ status: 409 }) },
      { headers: naming("Pricing") },
    ),
  ]),
  shows("REPLAY-011", "the guard's word holds on a path of the application", [
    ...placed("replay-guard"),
    step(
      "POST",
      "/orders?about=replay-guard",
      { status: 403 },
      jsonBody(tea, { ...naming("OrderRepository"), "x-forwarded-for": "192.0.2.1" }),
    ),
  ]),
  shows("REPLAY-013", "a plan says which beans can be replayed, and which are the defaults", [
    ...placed("replay-plan"),
    step("GET", `${replaysPath}{{instance}}.{{sequence}}`, {
      status: 200,
      body: [
        holds({ instance: "{{instance}}", sequence: "{{sequence}}", refusal: null }),
        {
          at: {
            "/beans/*/bean": { is: planned.map(([bean]) => bean) },
            "/beans/*/calls": { is: planned.map(() => 1) },
            "/beans/*/isDefault": { is: planned.map(([, isDefault]) => isDefault) },
            ...Object.fromEntries(
              planned.map(([, , canBe], at) => [`/beans/${at}/refusal`, canBe ? { is: null } : { not: null }]),
            ),
          },
        },
      ].flat(),
    }),
    step("GET", `${replaysPath}{{instance}}.999999`, { status: 404, body: holds({ status: 404 }) }),
  ]),
  shows("REPLAY-015", "a trace says of which run its run is the replay, and why it ended", [
    ...traced(
      "POST",
      "/orders?about=replay-of",
      { "/replayOf": { present: false }, "/status": { is: 201 } },
      { content: jsonBody(tea), saveTrace: run },
    ),
    ...replayed("OrderRepository,Pricing", "replay-of", tea, {
      ...replayOf,
      "/replayOf/beans": { is: ["OrderRepository", "Pricing"] },
      "/replayOf/notes": { is: [] },
      "/replayOf/ended": { is: null },
    }),
    ...replayed(
      "Pricing",
      "replay-of",
      { ...tea, total: 9 },
      {
        ...replayOf,
        "/status": { is: 409 },
        "/replayOf/beans": { is: ["Pricing"] },
        "/replayOf/notes": { is: [] },
        "/replayOf/ended/bean": { is: "Pricing" },
        "/replayOf/ended/method": { is: "quote" },
        "/replayOf/ended/reason": { has: "9" },
      },
      { mark: "c", expect: { ...ended, body: { at: { "/detail": { has: "9" } } } } },
    ),
  ]),
];
