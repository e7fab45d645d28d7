/** Broken streams of traces. */
import type { RequirementId } from "../../spec/requirements.ts";
import { streamPath } from "../kit/devtools.ts";
import type { StreamItem } from "../kit/event-stream.ts";
import { breaks, breaksStream, editHeader, type Mutant } from "../kit/mutant.ts";
import type { Rewrite } from "../kit/relay.ts";

/** Rewrites the items of the stream that was opened with `?about=<mark>`. */
function spoils(
  name: string,
  id: RequirementId,
  mark: string,
  change: (item: StreamItem, index: number) => readonly StreamItem[],
): Mutant {
  return breaksStream(name, [id], ({ sent, item, index }) =>
    sent.target === `${streamPath}?about=${mark}` ? change(item, index) : [item],
  );
}

function spoilsHead(name: string, mark: string, change: Rewrite): Mutant {
  return breaks(name, ["STREAM-001"], (exchange) =>
    exchange.sent.target === `${streamPath}?about=${mark}` ? change(exchange) : exchange,
  );
}

function spoilsRejection(name: string, change: Rewrite): Mutant {
  return breaks(name, ["STREAM-014"], (exchange) =>
    exchange.sent.target === streamPath && exchange.status === 503 ? change(exchange) : exchange,
  );
}

/** The traces as they are, everything else changed. */
const others =
  (change: (item: StreamItem) => readonly StreamItem[]) =>
  (item: StreamItem): readonly StreamItem[] =>
    item.event === "trace" ? [item] : change(item);
/** What is no trace as it is, traces changed. */
const traces =
  (change: (item: StreamItem) => readonly StreamItem[]) =>
  (item: StreamItem): readonly StreamItem[] =>
    item.event === "trace" ? change(item) : [item];

const onOtherPath = (item: StreamItem): StreamItem => ({
  ...item,
  data: item.data.replace(/"path":"[^"]*"/, '"path":"/users/before"'),
});

/** The mutants of this chapter. */
export const stream = [
  spoilsHead("stream-is-text", "head", (exchange) => editHeader(exchange, "content-type", "text/plain")),
  spoilsHead("stream-is-partial", "head", (exchange) => ({ ...exchange, status: 206 })),
  spoils(
    "stream-calls-traces-messages",
    "STREAM-002",
    "each",
    traces((item) => [{ ...item, event: undefined }]),
  ),
  spoils(
    "stream-tells-twice",
    "STREAM-002",
    "each",
    traces((item) => [item, item]),
  ),
  spoils("stream-skips-the-first", "STREAM-002", "each", (item, index) => (index === 2 ? [] : [item])),
  spoils(
    "stream-data-on-many-lines",
    "STREAM-003",
    "data",
    traces((item) => [
      { ...item, data: JSON.stringify(JSON.parse(item.data), null, 1).replace(/"path": /, '"path":') },
    ]),
  ),
  spoils(
    "stream-trace-unlike-the-list",
    "STREAM-003",
    "data",
    traces((item) => [{ ...item, data: item.data.replace(/"startedAt":\d+/, '"startedAt":1') }]),
  ),
  spoils(
    "stream-counts-by-itself",
    "STREAM-004",
    "id",
    traces((item) => [{ ...item, id: "1" }]),
  ),
  spoils(
    "stream-has-no-ids",
    "STREAM-004",
    "id",
    traces((item) => [{ ...item, id: undefined }]),
  ),
  spoils("stream-begins-in-silence", "STREAM-005", "comment", (item) => (item.kind === "comment" ? [] : [item])),
  spoils("stream-says-no-retry", "STREAM-007", "retry", (item) => (item.kind === "retry" ? [] : [item])),
  spoils("stream-retries-later", "STREAM-007", "retry", (item) =>
    item.kind === "retry" ? [{ ...item, data: "3000" }] : [item],
  ),
  spoils(
    "stream-replays-to-everyone",
    "STREAM-008",
    "new",
    traces((item) => [onOtherPath(item), item]),
  ),
  spoils("stream-replays-from-the-seen", "STREAM-009", "again", (item, index) =>
    index === 2 ? [{ ...item, id: "seen.1" }, item] : [item],
  ),
  spoils("stream-replays-the-last-only", "STREAM-009", "again", (item, index) => (index === 2 ? [] : [item])),
  spoils(
    "stream-hides-the-restart",
    "STREAM-010",
    "foreign",
    others((item) => (item.event === "gap" ? [] : [item])),
  ),
  spoils(
    "stream-counts-the-restart",
    "STREAM-010",
    "foreign",
    others((item) => [item.event === "gap" ? { ...item, data: '{"missed":7}' } : item]),
  ),
  spoils("stream-replays-half", "STREAM-010", "foreign", (item, index) => (index === 3 ? [] : [item])),
  spoils(
    "stream-hides-the-gap",
    "STREAM-011",
    "gap",
    others((item) => (item.event === "gap" ? [] : [item])),
  ),
  spoils(
    "stream-counts-one-more",
    "STREAM-011",
    "gap",
    others((item) => [item.event === "gap" ? { ...item, data: '{"missed":3}' } : item]),
  ),
  spoilsRejection("stream-rejects-as-too-many", (exchange) => ({ ...exchange, status: 429 })),
  spoilsRejection("stream-says-not-when", (exchange) => editHeader(exchange, "retry-after", undefined)),
  spoilsRejection("stream-rejects-in-text", (exchange) => editHeader(exchange, "content-type", "text/plain")),
  spoils("stream-hides-what-runs", "STREAM-016", "started", (item) => (item.event === "started" ? [] : [item])),
  spoils("stream-numbers-runs-anew", "STREAM-016", "started", (item) => [
    item.event === "started" ? { ...item, data: item.data.replace(/"run":(\d+)/, '"run":1$1') } : item,
  ]),
];
