/** Replays that are made up, that guess, or that nobody can tell from a run. */
import type { RequirementId } from "../../spec/requirements.ts";
import { replaysPath } from "../kit/devtools.ts";
import type { Exchange } from "../kit/exchange.ts";
import { breaks, editHeader, editObject, headerOf, type Mutant } from "../kit/mutant.ts";
import type { Rewrite } from "../kit/relay.ts";

type Body = Readonly<Record<string, unknown>>;

/** Rewrites responses to replays of requests about `replay-<mark>`. */
const ofReplay = (name: string, id: RequirementId, mark: string, change: Rewrite): Mutant =>
  breaks(name, [id], (exchange) => (isReplay(exchange, mark) ? change(exchange) : exchange));

const isReplay = ({ sent }: Exchange, mark: string): boolean =>
  headerOf(sent.headers, "x-framework-replay") !== undefined && sent.target.includes(`about=replay-${mark}`);

const ofPlan = (name: string, change: (plan: Body) => Body): Mutant =>
  breaks(name, ["REPLAY-013"], (exchange) =>
    exchange.sent.path.startsWith(replaysPath) && exchange.status === 200 ? editObject(exchange, change) : exchange,
  );

const beansOf =
  (change: (bean: Body) => Body) =>
  (plan: Body): Body => ({ ...plan, beans: (plan["beans"] as readonly Body[]).map(change) });

/** The mutants of this chapter. */
export const replay = [
  ofReplay("replays-find-nothing", "REPLAY-001", "found", (exchange) => ({ ...exchange, status: 404 })),
  ofReplay("replays-guess", "REPLAY-006", "end", (exchange) => ({ ...exchange, status: 201, body: '{"id":"1"}' })),
  ofReplay("replays-end-without-a-call", "REPLAY-006", "end", (exchange) =>
    editObject(exchange, (problem) => ({ ...problem, replay: { bean: null, method: null } })),
  ),
  ofReplay("replays-end-without-a-reason", "REPLAY-006", "end", (exchange) =>
    editObject(exchange, (problem) => ({ ...problem, detail: "the replay has ended" })),
  ),
  ofReplay("replays-end-in-plain-json", "REPLAY-006", "end", (exchange) =>
    editHeader(exchange, "Content-Type", "application/json"),
  ),
  ofReplay("replays-take-any-header", "REPLAY-010", "bad", (exchange) =>
    exchange.status === 400 ? { ...exchange, status: 201, body: '{"id":"1"}' } : exchange,
  ),
  ofReplay("replays-take-any-run", "REPLAY-010", "bad", (exchange) =>
    exchange.status === 409 ? { ...exchange, status: 200, body: '{"id":"1"}' } : exchange,
  ),
  ofReplay("replays-for-anybody", "REPLAY-011", "guard", (exchange) => ({ ...exchange, status: 201 })),
  ofPlan(
    "plans-choose-all",
    beansOf((bean) => ({ ...bean, isDefault: true })),
  ),
  ofPlan(
    "plans-refuse-nothing",
    beansOf((bean) => ({ ...bean, refusal: null })),
  ),
  ofPlan(
    "plans-count-twice",
    beansOf((bean) => ({ ...bean, calls: 2 })),
  ),
  ofPlan("plans-of-another-run", (plan) => ({ ...plan, sequence: 1 + Number(plan["sequence"]) })),
  breaks("plans-of-no-run", ["REPLAY-013"], (exchange) =>
    exchange.sent.path.startsWith(replaysPath) && exchange.status === 404 ? { ...exchange, status: 200 } : exchange,
  ),
];
