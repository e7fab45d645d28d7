/**
 * Set tools: what some runs share that others do not.
 */
import type { Difference } from "../../run/explain/share.ts";
import type { AgentSetExplanation, AgentSharedFacts } from "../../run/shapes.ts";
import { TerminalError } from "../terminal/errors.ts";
import { sharedBy } from "../terminal/run-sets.ts";
import { text } from "./inputs.ts";
import { cut, pageOf } from "./pages.ts";
import { notice, paged, pagingOf, type Tool } from "./tool.ts";

/** How many facts of a group, and how many of its runs are named. */
const FACTS = 8;
const RUNS = 5;

/** `explain_set`. */
export const explainSet: Tool = {
  name: "explain_set",
  description:
    "Compares some runs with others, such as the failed with the rest, and tells what sets them apart, such as values, calls, statements, commits: use it when many runs are wrong.",
  inputs: paged({
    set: text("The runs, as a query of list_runs: status:5xx"),
    ids: text("Instead of set: their ids, with a space between two."),
    against: text("The other runs, as a query; all others without it."),
  }),
  output: "AgentSetExplanation",
  isReadOnly: true,
  async run(given, { client }): Promise<AgentSetExplanation> {
    const [set = "", against = ""] = [given.text("set"), given.text("against")];
    const ids = (given.text("ids") ?? "").split(/[\s,]+/).filter((id) => id !== "");
    if ((set === "") === (ids.length === 0))
      throw new TerminalError("explain_set takes either set, a query such as status:5xx, or ids");
    const { differences, same, ofSet, ofRest, looked } = await sharedBy(client, { set, ids, against });
    const head = { ofSet, ofRest, looked, same: same.map(({ text: said }) => cut(said, 200)) };
    const all = differences.map(shownOf);
    const { items, next } = pageOf(all, head, pagingOf("explain_set", given, { set, ids, against, ofSet, ofRest }));
    return { ...head, differences: items, next, notice };
  },
};

function shownOf({ facts, inSet, inRest, lift, p, runs }: Difference): AgentSharedFacts {
  const more = facts.length > FACTS ? [`and ${facts.length - FACTS} more that always come with these`] : [];
  return {
    facts: [...facts.slice(0, FACTS).map(({ text: said }) => cut(said, 300)), ...more],
    inSet,
    inRest,
    lift: lift === null ? null : Number(lift.toPrecision(3)),
    p: Number(p.toPrecision(2)),
    runs: runs.slice(0, RUNS),
  };
}
