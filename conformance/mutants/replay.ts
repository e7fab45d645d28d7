/** Replays with invented results, with guesses, or without a mark that distinguishes them from a run. */
import type { RequirementId } from "../../spec/requirements.ts";
import type { Exchange } from "../kit/exchange.ts";
import { breaks, headerOf, type Mutant } from "../kit/mutant.ts";
import type { Rewrite } from "../kit/relay.ts";

/** Rewrites responses to replays of requests about `replay-<mark>`. */
const ofReplay = (name: string, id: RequirementId, mark: string, change: Rewrite): Mutant =>
  breaks(name, [id], (exchange) => (isReplay(exchange, mark) ? change(exchange) : exchange));

const isReplay = ({ sent }: Exchange, mark: string): boolean =>
  headerOf(sent.headers, "x-framework-replay") !== undefined && sent.target.includes(`about=replay-${mark}`);

/** The mutants of this chapter. */
export const replay = [
  ofReplay("replays-for-anybody", "REPLAY-011", "guard", (exchange) => ({ ...exchange, status: 201 })),
];
