/**
 * Kept runs that are not in the page: those of earlier sessions, and the hits of a search in everything.
 *
 *   …/api/sessions ──▶ a session ──▶ …/api/history ──┐
 *   text in the field ─────────────▶ …/api/search  ──┴──▶ rows, page by page ──▶ one opened: …/api/runs ──▶ History
 *
 * Nothing is requested before the user wants it. An opened run is a run like any other. It has its path, its timeline, and
 * can be compared.
 */

import { batch, signal } from "@preact/signals";
import type { Trace, HistoryPage, SearchPage, Session } from "../../run/shapes.ts";
import { createAsk } from "../page/asking.ts";
import { count, duration, messageOf } from "../../run/format.ts";
import { panelsSlice } from "../store/panels.ts";
import { searchSlice } from "../store/search.ts";
import { selectionSlice } from "../store/selection.ts";
import type { Use } from "../store/slice.ts";
import { keptSlice } from "./kept.ts";
import { sourceSlice } from "./source.ts";

/** The members of a run that a row shows. */
export type RunRow = Pick<Trace, "instance" | "sequence" | "method" | "path" | "status" | "startedAt" | "durationUs">;

/** The requested rows, and their source. */
export interface RunRows {
  /** `search`, or the instance of a session. */
  readonly of: string;
  readonly query: Readonly<Record<string, string>>;
  readonly rows: readonly RunRow[];
  /** The cursor of older rows, or null if there are none. */
  readonly next: string | null;
  /** What the search has searched, empty for a session. */
  readonly said: string;
}

/** Sessions, rows of one of them or of a search, and the action that opens one. */
export function earlierSlice(use: Use) {
  const { text } = use(searchSlice);
  const { read } = use(sourceSlice);
  const open = createOpen(use);
  const sessions = signal<readonly Session[] | null>(null);
  const listed = signal<RunRows | null>(null);
  const failure = signal<string | null>(null);
  const ask = createAsk(failure);
  const list = (of: string, query: RunRows["query"], before: readonly RunRow[] = []): Promise<void> =>
    ask(async () => {
      const page = await read(of === "search" ? "search" : "history", query);
      return () =>
        (listed.value = { of, query, rows: [...before, ...rowsOf(page)], next: page.next, said: saidOf(page) });
    });
  return {
    /** Of this process and of earlier ones. Null before the first request. */
    sessions,
    listed,
    failure,
    toggleSessions: (): Promise<void> =>
      ask(async () => {
        const next = sessions.value ? null : (await read("sessions")).sessions;
        return () => {
          sessions.value = next;
          if (listed.value?.of !== "search") listed.value = null;
        };
      }),
    toggleSession: (session: string): Promise<void> =>
      listed.value?.of === session
        ? ask(async () => () => (listed.value = null))
        : list(session, { session, limit: "20" }),
    searchKept: (): Promise<void> => list("search", { q: text.value, limit: "20" }),
    close: (): void => void (listed.value = null),
    more: async (): Promise<void> => {
      const { of, query, rows, next } = listed.value ?? {};
      if (of !== undefined && next) await list(of, { ...query, cursor: next }, rows);
    },
    open,
  };
}

/** A function that reads a kept run by its key. It rejects with a sentence. */
export function runReader(use: Use): (key: string) => Promise<Trace> {
  const { read } = use(sourceSlice);
  return (key) => read(`runs/${key}`);
}

/** Opens a run by its key: it joins History and is selected. */
function createOpen(use: Use) {
  const read = runReader(use);
  const { notice } = use(panelsSlice);
  const { runOf, selectTrace } = use(selectionSlice);
  const { merge } = use(keptSlice);
  let latest = "";
  return async (key: string): Promise<void> => {
    latest = key;
    try {
      const run = runOf(key) ?? (await read(key));
      if (latest !== key) return;
      batch(() => {
        // Selected first, since a run older than the last hundred stays only while it is selected.
        selectTrace(run);
        merge([run]);
      });
    } catch (error) {
      if (latest === key) notice.value = `Run ${key} cannot be opened: ${messageOf(error)}`;
    }
  };
}

const rowsOf = (page: HistoryPage | SearchPage): readonly RunRow[] => ("runs" in page ? page.runs : page.hits);

const saidOf = (page: HistoryPage | SearchPage): string =>
  "runs" in page ? "" : `${count(page.searched, "run")} searched in ${duration(page.tookUs)}`;

/** A session in one line: `25 Nov 14:03:07 · main 1a2b3c4`. */
export function sessionName({ startedAt, commit, branch, instance }: Session): string {
  const from = [branch, commit?.slice(0, 7)].filter(Boolean).join(" ");
  return `${day(startedAt)} · ${from ? from : instance.slice(0, 8)}`;
}

/** A day and a time: `25 Nov 14:03:07`. */
export function day(at: number): string {
  const time = new Date(at);
  return `${time.getDate()} ${time.toDateString().slice(4, 7)} ${time.toTimeString().slice(0, 8)}`;
}
