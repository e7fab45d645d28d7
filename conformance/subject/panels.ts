/**
 * The panels of the subject: plugins with only a panel.
 *
 * Spec: spec/subject.md
 */
import { definePlugin, type PanelKind, type Plugin } from "framework";

const ledger = [{ entry: "tea", password: "hunter2-ledger" }, { entry: "x".repeat(1_000_000) }];

const failed = (): Error => new Error("failed as asked");

const panel = (name: string, title: string, kind: PanelKind, read: () => unknown): Plugin =>
  definePlugin({ name, panel: { title, kind, read } });

/** All panels, in the order of the list. */
export const panels: readonly Plugin[] = [
  panel("ledger", "The ledger", "table", () => ledger),
  panel("throwing", "Throws", "json", () => {
    throw failed();
  }),
  panel("rejecting", "Rejects", "graph", () => Promise.reject(failed())),
];
