/**
 * Writes the options of TanStack Query (v5) for a client: a second file, which imports the types of the first.
 *
 *   GET, HEAD, QUERY ──▶ queryKey, queryFn · other methods ──▶ mutationKey, mutationFn · GET with a stream ──▶ streamedQuery
 *
 * The options are plain objects, so they are the same for React, Vue, Solid, Svelte and the core.
 */
import { nameOf } from "../document/operations.ts";
import { readMethods, type ClientOperation } from "./operation.ts";
import { docComment, literal } from "./text.ts";

/** The package that is installed. */
export interface TanStack {
  /** Such as `@tanstack/react-query`. */
  readonly name: string;
  /** Does it export `experimental_streamedQuery` with `streamFn`, as since 5.86? */
  readonly hasStreams: boolean;
}

/** The file, and sentences about operations that it lacks. @param client how it imports the client */
export function writeTanStack(
  calls: readonly ClientOperation[],
  client: string,
  { name, hasStreams }: TanStack,
): { readonly text: string; readonly leftOut: readonly string[] } {
  const kinds = calls.map((one) => [one, kindOf(one, hasStreams)] as const);
  const used = kinds.filter(([, kind]) => kind !== undefined);
  const kindsUsed = new Set(used.map(([, kind]) => kind));
  const text = [
    docComment(
      ["The options of TanStack Query for the client. Written by `framework client`: change the document instead."],
      "",
    ),
    importsOf(name, client, kindsUsed),
    "",
    ...helpersOf(kindsUsed),
    "/** Every query and mutation of the service. */",
    "export interface Queries {",
    ...used.map(([one, kind]) => `${docComment(one.comment, "  ")}  ${one.name}${signatureOf(one, kind)};`),
    "}",
    "",
    "/** The options for the calls of a client. */",
    `export function createQueries(${used.length > 0 ? "client" : "_client"}: Api.Client): Queries {`,
    "  return {",
    ...used.map(([one, kind]) => callOf(one, kind)),
    "  };",
    "}",
    "",
  ].join("\n");
  const leftOut = kinds
    .filter(([, kind]) => kind === undefined)
    .map(([{ operation }]) => `left out for TanStack Query: ${nameOf(operation)}, which is no query that it can read`);
  return { text, leftOut };
}

type Kind = "query" | "stream" | "mutation";

function kindOf({ shape, operation: { method } }: ClientOperation, hasStreams: boolean): Kind | undefined {
  const isRead = readMethods.has(method);
  if (shape === "call") return isRead ? "query" : "mutation";
  return isRead && hasStreams && shape !== "socket" ? "stream" : undefined;
}

function importsOf(name: string, client: string, kinds: ReadonlySet<Kind | undefined>): string {
  const streamed = kinds.has("stream") ? ["experimental_streamedQuery as streamedQuery"] : [];
  const tagged = kinds.has("query") || kinds.has("stream") ? ["type DataTag"] : [];
  const names = [...tagged, ...streamed];
  const unwrapped = kinds.has("query") || kinds.has("mutation") ? [`import { unwrap } from ${literal(client)};`] : [];
  return [
    ...(names.length === 0 ? [] : [`import { ${names.join(", ")} } from ${literal(name)};`]),
    `import type * as Api from ${literal(client)};`,
    ...unwrapped,
  ].join("\n");
}

const inputOf = ({ input, shape }: ClientOperation): string =>
  `Api.${input.members.length > 0 ? input.type : shape === "events" ? "StreamOptions" : "CallOptions"}`;

function signatureOf(one: ClientOperation, kind: Kind | undefined): string {
  const given = `input${one.input.isRequired ? "" : "?"}: ${inputOf(one)}`;
  if (kind === "stream") return `(${given}): Query<${literal(one.name)}, readonly Api.${one.item ?? ""}[]>`;
  if (kind === "query") return `(${given}): Query<${literal(one.name)}, Data<Api.${one.result.type}>>`;
  return `(): Mutation<${literal(one.name)}, ${inputOf(one)}${one.input.isRequired ? "" : " | void"}, Data<Api.${one.result.type}>>`;
}

function callOf({ name, input }: ClientOperation, kind: Kind | undefined): string {
  const access = `client.${/^[A-Za-z_$][\w$]*$/.test(name) ? name : ""}`;
  const call = access === "client." ? `client[${literal(name)}]` : access;
  if (kind === "mutation")
    return `    ${name}: () => ({ mutationKey: [${literal(name)}], mutationFn: async (input) => present(unwrap(await ${call}(input${input.isRequired ? "" : " ?? {}"}))), retry: false }),`;
  const made =
    kind === "stream"
      ? `streamed((signal) => ${call}({ ...input, signal }))`
      : `async ({ signal }) => present(unwrap(await ${call}({ ...input, signal })))`;
  return `    ${name}: (input) => ({ queryKey: keyOf(${literal(name)}, input), queryFn: ${made}, retry: false }),`;
}

const body = `type AnyResult = Api.Ok<number, unknown> | Api.Failed<number, unknown>;
type Success<Result extends AnyResult> = Extract<Result, { readonly ok: true }>["body"];
type Present<Content> = Content extends undefined ? null : Content;
/** The body of a success. \`null\` instead of an empty one, since data of TanStack Query is never undefined. */
export type Data<Result extends AnyResult> = Present<Success<Result>>;

const present = <Content>(body: Content): Present<Content> => (body ?? null) as Present<Content>;
`;

const query = `/** The options of a query. The client itself repeats a request where that helps, so the query does not. */
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
`;

const mutation = `/** The options of a mutation. */
export interface Mutation<Name extends string, Input, Data> {
  readonly mutationKey: readonly [name: Name];
  readonly mutationFn: (input: Input) => Promise<Data>;
  readonly retry: false;
}
`;

const stream = `/** The newest thousand items of a stream. */
function streamed<Item>(open: (signal: AbortSignal) => AsyncIterable<Item>): (context: QueryContext) => Promise<readonly Item[]> {
  return streamedQuery<Item, readonly Item[]>({
    streamFn: ({ signal }) => open(signal),
    reducer: (items, item) => [...items.slice(-999), item],
    initialValue: [],
  }) as (context: QueryContext) => Promise<readonly Item[]>;
}
`;

function helpersOf(kinds: ReadonlySet<Kind | undefined>): readonly string[] {
  const hasQuery = kinds.has("query") || kinds.has("stream");
  return [
    ...(kinds.has("query") || kinds.has("mutation") ? [body] : []),
    ...(hasQuery ? [query] : []),
    ...(kinds.has("mutation") ? [mutation] : []),
    ...(kinds.has("stream") ? [stream] : []),
  ];
}
