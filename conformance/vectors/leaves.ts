/** Leaves as data: what a run did below its beans. Spec: leaves.md (LEAF). */
import { again, traced, type TracedOptions } from "./traces.ts";
import { jsonBody, shows, step, type Step, type ValueExpectation } from "./vector.ts";

type Values = Readonly<Record<string, ValueExpectation>>;

/** A run that leaves one of each kind, with the word for a mark. */
const left = (about: string, at: Values, more = "", options: TracedOptions = {}): readonly Step[] =>
  traced("GET", `/leaves/{{token}}?about=leaf-${about}${more}`, at, options);

/** What is true of the leaf of a kind, and of its detail. */
const detail = (kind: string, at: Values): Values =>
  Object.fromEntries(Object.entries(at).map(([name, value]) => [`/leaves/[kind=${kind}]/detail/${name}`, value]));

/** An order that was created, and the run that finds it. */
const found = (about: string, at: Values, options: TracedOptions = {}): readonly Step[] => [
  step("POST", "/orders", { status: 201 }, jsonBody({ item: "tea", total: 10 }), { save: { id: { at: "/id" } } }),
  ...traced("GET", `/orders/{{id}}?about=leaf-${about}`, at, { ...options, mark: "found" }),
];

/** The vectors of leaves. */
export const leaves = [
  shows(
    "LEAF-001",
    "what was done below the beans is listed in the order of beginning",
    left(
      "order",
      {
        "/leaves/*/id": { is: [0, 1, 2, 3] },
        "/leaves/*/kind": { is: ["log", "cache", "message", "sql"] },
        "/leaves/*/name": { is: ["info", "GET", "send", "INSERT"] },
      },
      "",
      { expect: { status: 200 } },
    ),
  ),
  shows("LEAF-002", "the parent of a leaf is the call that was running, and the request none", [
    ...found("parent", {}, { saveTrace: { call: "/calls/[bean=OrderRepository&method=find]/id" } }),
    again({ "/leaves/[kind=sql]/parentId": { is: "{{call}}" } }, "found"),
    ...left("parent", { "/leaves/*/parentId": { is: [null, null, null, null] } }),
  ]),
  shows("LEAF-003", "the statement is there, its parameters and how many rows it brought", [
    ...found(
      "sql",
      detail("sql", {
        system: { is: "postgresql" },
        statement: { is: "select id, item, total from orders where id = $1" },
        parameters: { is: ["{{id}}"] },
        rows: { is: 1 },
      }),
    ),
    ...left(
      "sql",
      detail("sql", {
        system: { is: "postgresql" },
        statement: { is: "insert into marks values ($1)" },
        parameters: { is: ["{{token}}"] },
        rows: { is: 1 },
      }),
    ),
  ]),
  shows(
    "LEAF-004",
    "level, message and fields of a line of the request's log are there",
    left(
      "log",
      detail("log", {
        level: { is: "info" },
        message: { is: "leaving {{token}}" },
        "fields/mark": { is: "{{token}}" },
      }),
    ),
  ),
  shows(
    "LEAF-005",
    "the command of a cache is there, its key and whether there was something",
    left(
      "cache",
      detail("cache", {
        system: { is: "redis" },
        command: { is: "GET" },
        key: { is: "marks:{{token}}" },
        hit: { is: false },
      }),
    ),
  ),
  shows(
    "LEAF-006",
    "operation, destination and body of a message are there, and no id where none is known",
    left(
      "message",
      detail("message", {
        system: { is: "kafka" },
        operation: { is: "send" },
        destination: { is: "marks" },
        id: { present: false },
        "body/mark": { is: "{{token}}" },
      }),
    ),
  ),
  shows("LEAF-007", "a leaf that failed has its error, and no other has one", [
    ...left(
      "error",
      {
        "/leaves/*/kind": { is: ["log", "cache", "message", "sql"] },
        "/leaves/0/error": { is: null },
        "/leaves/1/error": { is: null },
        "/leaves/2/error": { is: null },
        "/leaves/3/error/name": { is: "Error" },
        "/leaves/3/error/message": { is: "failed as asked" },
      },
      "&fail=yes",
      { expect: { status: 500 } },
    ),
    ...left("error", { "/leaves/*/error": { is: [null, null, null, null] } }, "", { mark: "b" }),
  ]),
  shows(
    "LEAF-010",
    "secrets are hidden by name, and where else they stand",
    left("secrets", {
      ...detail("log", { "fields/password": { is: "[redacted]" } }),
      ...detail("message", { "body/note": { is: "[redacted]" } }),
    }),
  ),
];
