/** The options of TanStack Query for the client. Written by `framework client`: change the document instead. */

import { type DataTag, experimental_streamedQuery as streamedQuery } from "@tanstack/query-core";
import type * as Api from "./client.ts";
import { unwrap } from "./client.ts";

type AnyResult = Api.Ok<number, unknown> | Api.Failed<number, unknown>;
type Success<Result extends AnyResult> = Extract<Result, { readonly ok: true }>["body"];
type Present<Content> = Content extends undefined ? null : Content;
/** The body of a success. `null` instead of an empty one, since data of TanStack Query is never undefined. */
export type Data<Result extends AnyResult> = Present<Success<Result>>;

const present = <Content>(body: Content): Present<Content> => (body ?? null) as Present<Content>;

/** The options of a query. The client itself repeats a request where that helps, so the query does not. */
export interface Query<Name extends string, Data> {
  readonly queryKey: DataTag<readonly [name: Name, input: object], Data>;
  readonly queryFn: (context: QueryContext) => Promise<Data>;
  readonly retry: false;
}

/** The part of a query's context that is used. */
export interface QueryContext {
  readonly signal: AbortSignal;
}

/** The input without the options of a call. TanStack Query sorts its members. */
function keyOf<Name extends string, Data>(name: Name, input: object = {}): DataTag<readonly [Name, object], Data> {
  const options = ["signal", "timeoutMs", "retry", "reconnect", "lastEventId"];
  const parts = Object.fromEntries(Object.entries(input).filter(([part]) => !options.includes(part)));
  return [name, parts] as unknown as DataTag<readonly [Name, object], Data>;
}

/** The options of a mutation. */
export interface Mutation<Name extends string, Input, Data> {
  readonly mutationKey: readonly [name: Name];
  readonly mutationFn: (input: Input) => Promise<Data>;
  readonly retry: false;
}

/** The newest thousand items of a stream. */
function streamed<Item>(open: (signal: AbortSignal) => AsyncIterable<Item>): (context: QueryContext) => Promise<readonly Item[]> {
  return streamedQuery<Item, readonly Item[]>({
    streamFn: ({ signal }) => open(signal),
    reducer: (items, item) => [...items.slice(-999), item],
    initialValue: [],
  }) as (context: QueryContext) => Promise<readonly Item[]>;
}

/** Every query and mutation of the service. */
export interface Queries {
  /**
   * The notes with a text in them, the newest first.
   * `QUERY /notes`
   */
  findNotes(input: Api.FindNotesInput): Query<"findNotes", Data<Api.FindNotesResult>>;
  /**
   * Adds a note.
   * `POST /notes`
   */
  addNote(): Mutation<"addNote", Api.AddNoteInput, Data<Api.AddNoteResult>>;
  /**
   * What happens on the board, from the beginning.
   * `GET /changes`
   */
  changes(input?: Api.StreamOptions): Query<"changes", readonly Api.ChangesEvent[]>;
}

/** The options for the calls of a client. */
export function createQueries(client: Api.Client): Queries {
  return {
    findNotes: (input) => ({ queryKey: keyOf("findNotes", input), queryFn: async ({ signal }) => present(unwrap(await client.findNotes({ ...input, signal }))), retry: false }),
    addNote: () => ({ mutationKey: ["addNote"], mutationFn: async (input) => present(unwrap(await client.addNote(input))), retry: false }),
    changes: (input) => ({ queryKey: keyOf("changes", input), queryFn: streamed((signal) => client.changes({ ...input, signal })), retry: false }),
  };
}
