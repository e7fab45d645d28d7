/** Panels of plugins, by HTTP. Spec: plugins.md (PLUGIN). */
import { Panel, PanelList } from "../../spec/plugins.ts";
import { proves } from "../kit/case.ts";
import { asJson, panelsPath, Problem } from "../kit/devtools.ts";
import type { Probe, SendOptions } from "../kit/probe.ts";

const ledger = { name: "ledger", title: "The ledger", kind: "table" } as const;
const throwing = { name: "throwing", title: "Throws", kind: "json" } as const;
const rejecting = { name: "rejecting", title: "Rejects", kind: "graph" } as const;

async function panel(probe: Probe, name: string) {
  const response = await probe.send("GET", `${panelsPath}/${name}`, { headers: asJson });
  probe.equal("the status", response.status, 200);
  return probe.json(Panel, response);
}

const foreign: readonly NonNullable<SendOptions["headers"]>[] = [
  { host: "evil.test" },
  { host: "localhost", origin: "http://evil.test" },
  { host: "localhost", "x-forwarded-for": "127.0.0.1" },
];

/** The cases of this chapter. */
export const plugins = [
  proves("PLUGIN-017", "lists the panels in the order of their plugins", async (probe) => {
    const response = await probe.send("GET", panelsPath, { headers: asJson });
    probe.equal("the status", response.status, 200);
    probe.equal("the panels", probe.json(PanelList, response), [ledger, throwing, rejecting]);
    const unknown = await probe.send("GET", `${panelsPath}/${probe.token()}`, { headers: asJson });
    probe.equal("status of one that is not there", [unknown.status, probe.json(Problem, unknown).status], [404, 404]);
  }),

  proves("PLUGIN-017", "gives a value bounded, with its secrets hidden", async (probe) => {
    const { data, error, ...info } = await panel(probe, "ledger");
    const [tea, long] = data as readonly [unknown, { readonly entry?: { readonly $truncated?: unknown } }];
    probe.equal("the panel", info, ledger);
    probe.equal("its error", error, null);
    probe.equal("the first row", tea, { entry: "tea", password: "[redacted]" });
    const left = long.entry?.$truncated;
    const isCut = typeof left === "number" && left + JSON.stringify(long.entry).length > 1_000_000;
    probe.equal("whether the long text is cut", isCut, true);
  }),

  proves("PLUGIN-018", "has the error of a panel that throws or rejects, and no value", async (probe) => {
    for (const info of [throwing, rejecting]) {
      const { data, error, ...rest } = await panel(probe, info.name);
      const seen = [rest, data, error?.name, error?.message];
      probe.equal("the panel, its value and its error", seen, [info, null, "Error", "failed as asked"]);
    }
  }),

  proves("PLUGIN-019", "lets no other page and no proxy read a panel or the list", async (probe) => {
    const statuses: unknown[] = [];
    for (const headers of foreign)
      for (const path of [panelsPath, `${panelsPath}/ledger`])
        statuses.push((await probe.send("GET", path, { headers })).status);
    probe.equal(
      "the statuses",
      statuses,
      statuses.map(() => 403),
    );
  }),
];
