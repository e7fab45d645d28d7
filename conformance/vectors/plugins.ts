/** Panels of plugins, as data. Spec: plugins.md (PLUGIN). */
import { panelsPath } from "../kit/devtools.ts";
import { read } from "./traces.ts";
import { holds, shows, step, type Step, type ValueExpectation } from "./vector.ts";

const ledger = { name: "ledger", title: "The ledger", kind: "table" };
const throwing = { name: "throwing", title: "Throws", kind: "json" };
const rejecting = { name: "rejecting", title: "Rejects", kind: "graph" };

const panel = (info: typeof ledger, at: Readonly<Record<string, ValueExpectation>>): Step =>
  read(`${panelsPath}/${info.name}`, {
    ...Object.fromEntries(Object.entries(info).map(([name, is]) => [`/${name}`, { is }])),
    ...at,
  });

const foreign = [
  { host: "evil.test" },
  { host: "localhost", origin: "http://evil.test" },
  { host: "localhost", "x-forwarded-for": "127.0.0.1" },
];

/** The vectors of this chapter. */
export const plugins = [
  shows("PLUGIN-017", "the panels are listed in the order of their plugins", [
    read(panelsPath, { "": { is: [ledger, throwing, rejecting] } }),
    step("GET", `${panelsPath}/{{token}}`, { status: 404, body: holds({ status: 404 }) }),
  ]),
  shows("PLUGIN-017", "a value is given bounded, with its secrets hidden", [
    panel(ledger, {
      "/error": { is: null },
      "/data/0": { is: { entry: "tea", password: "[redacted]" } },
      "/data/1/entry/$truncated": { from: 900_000, to: 999_999 },
    }),
  ]),
  shows(
    "PLUGIN-018",
    "a panel that throws or rejects has an error, and no value",
    [throwing, rejecting].map((info) =>
      panel(info, {
        "/data": { is: null },
        "/error/name": { is: "Error" },
        "/error/message": { is: "failed as asked" },
      }),
    ),
  ),
  shows(
    "PLUGIN-019",
    "no other page and no proxy reads a panel or the list",
    foreign.flatMap((headers) =>
      [panelsPath, `${panelsPath}/ledger`].map((target) =>
        step("GET", target, { status: 403 }, { headers: { ...headers } }),
      ),
    ),
  ),
];
