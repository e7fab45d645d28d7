/**
 * Faults of messages: of the status, of each header that a clause names, and of a text that is not JSON.
 *
 *   what passed, by status · by method · by path ──▶ header Vary, status 404: missing · status 404 of /users: 200 · …
 */
import type { Exchange } from "../kit/exchange.ts";
import { editHeader, headerOf } from "../kit/mutant.ts";
import { nothing, type Fault } from "./fault.ts";

/** Every fault of the messages. `named` maps each header that a clause names to its chapter. */
export function faultsOfMessages(seen: readonly Exchange[], named: ReadonlyMap<string, string>): readonly Fault[] {
  const responses = seen.filter(isOfTheApp);
  return [
    ...[...named].flatMap(([name, chapter]) => faultsOfHeader(name, chapter, responses)),
    ...faultsOfStatus(responses),
    ...faultsOfText(responses),
  ];
}

/** The control endpoints belong to the suite and promise nothing. */
export const isOfTheApp = ({ status, sent }: Exchange): boolean => status > 0 && !sent.path.startsWith("/__subject");

/** The key for grouping exchanges. */
export type Group = (exchange: Pick<Exchange, "sent" | "status">) => string;

const byStatus: Group = ({ status }) => `status ${status}`;
const byMethod: Group = ({ sent: { method } }) => `method ${method}`;
/** The path of devtools, else the first segment. Random words of a case are left out. */
export const areaOf: Group = ({ sent: { path } }) => {
  const known = path.replaceAll(/[0-9a-f]{16}/g, "…");
  return known.startsWith("/framework/dev")
    ? known.replace(/(\/(?:runs|replays|jobs)\/).*/, "$1…")
    : (/^\/?[^/]*/.exec(known)?.[0] ?? known);
};

function groupsOf(responses: readonly Exchange[], group: Group): readonly string[] {
  return [...new Set(responses.map(group))].toSorted();
}

/** Headers that may have several lines, with members that may repeat. RFC 9110 section 5.3. */
const isList =
  /^(?:vary|allow|accept-.*|access-control-(?:allow-(?:methods|headers)|expose-headers)|cache-control|cache-status|via|www-authenticate|upgrade|content-security-policy(?:-report-only)?|sec-websocket-version)$/;

/** A header that is missing, repeated or different, by status and by method, or that is added. */
function faultsOfHeader(name: string, chapter: string, responses: readonly Exchange[]): readonly Fault[] {
  const withIt = responses.filter(({ headers }) => headerOf(headers, name) !== undefined);
  const [sample] = withIt.map(({ headers }) => headerOf(headers, name) ?? "");
  if (sample === undefined) return [];
  const faults = [byStatus, byMethod].flatMap((group) =>
    groupsOf(withIt, group).flatMap((of) =>
      headerFaults(name, chapter).map((whole) =>
        fault(chapter, `${whole.target}, ${of}`, whole.kind, (exchange) =>
          group(exchange) === of ? whole.rewrite(exchange) : exchange,
        ),
      ),
    ),
  );
  const everywhere = fault(chapter, `header ${name}`, "where it was not", (exchange) =>
    headerOf(exchange.headers, name) === undefined ? editHeader(exchange, name, sample) : exchange,
  );
  return [...faults, everywhere];
}

/** A header that is missing, repeated or different everywhere. */
export function headerFaults(name: string, chapter: string): readonly Fault[] {
  const changes: Readonly<Record<string, (value: string, exchange: Exchange) => Exchange>> = {
    missing: (_, exchange) => editHeader(exchange, name, undefined),
    ...(isList.test(name)
      ? {}
      : { twice: (value, exchange) => ({ ...exchange, headers: [...exchange.headers, [name, value]] }) }),
    altered: (value, exchange) => editHeader(exchange, name, `${value}x`),
  };
  return Object.entries(changes).map(([kind, change]) =>
    fault(chapter, `header ${name}`, kind, (exchange) => {
      const value = headerOf(exchange.headers, name);
      return value === undefined ? exchange : change(value, exchange);
    }),
  );
}

/** A different status, for the responses of one path. */
function faultsOfStatus(responses: readonly Exchange[]): readonly Fault[] {
  const group: Group = (exchange) => `status ${exchange.status} of ${areaOf(exchange)}`;
  return groupsOf(responses, group).map((target) => {
    const status = Number(/\d+/.exec(target)?.[0]);
    const other = status < 400 ? status + 1 : status === 400 ? 422 : 400;
    return fault(chapterOf(target, status), target, `is ${other}`, (exchange) =>
      isOfTheApp(exchange) && group(exchange) === target ? { ...exchange, status: other } : exchange,
    );
  });
}

/** A text that is missing or cut. */
function faultsOfText(responses: readonly Exchange[]): readonly Fault[] {
  const group: Group = (exchange) => `text of ${areaOf(exchange)}`;
  return groupsOf(responses.filter(isText), group).flatMap((target) =>
    Object.entries({ empty: () => "", cut: (body: string) => body.slice(0, -1) }).map(([kind, change]) =>
      fault(chapterOf(target, 200), target, kind, (exchange) =>
        isOfTheApp(exchange) && isText(exchange) && group(exchange) === target
          ? { ...exchange, body: change(exchange.body) }
          : exchange,
      ),
    ),
  );
}

const isText = ({ headers, body }: Exchange): boolean =>
  body !== "" &&
  headerOf(headers, "content-encoding") === undefined &&
  !/json|event-stream/.test(headerOf(headers, "content-type") ?? "");

function fault(chapter: string, target: string, kind: string, change: (exchange: Exchange) => Exchange): Fault {
  const rewrite = (exchange: Exchange): Exchange => (isOfTheApp(exchange) ? change(exchange) : exchange);
  return { chapter, target, kind, ...nothing, rewrite };
}

const chapters: readonly (readonly [RegExp, string])[] = [
  [/ of \/framework\/dev/, "devtools"],
  [/ of \/health/, "health"],
  [/ of \/metrics/, "metrics"],
  [/ of \/limited/, "rate-limit"],
  [/ of \/versions/, "versions"],
  [/ of \/once/, "idempotency"],
  [/ of \/hooks/, "webhooks"],
  [/ of \/stored/, "cache"],
  [/ of \/(?:assets|pages|download)/, "static"],
  [/ of \/secured/, "security-headers"],
  [/ of \/protected/, "cross-origin"],
  [/ of \/crowded/, "overload"],
  [/ of \/cached/, "conditional"],
  [/ of \/ws/, "websocket"],
  [/ of \/uploads/, "multipart"],
  [/ of \/sessions/, "session"],
  [/ of \/private/, "auth"],
  [/ of \/(?:lines|forms|nested|replies|tenant|typed)/, "contracts"],
  [/ of \/work/, "work"],
  [/ of \/cookies/, "cookies"],
  [/ of \/(?:search|lookup|api)/, "query"],
  [/ of \/(?:returns|vary)/, "context"],
];

/** The chapter that promises the status or the text. */
export function chapterOf(target: string, status: number): string {
  const [, chapter] = chapters.find(([path]) => path.test(target)) ?? [];
  return chapter ?? (status >= 400 ? "errors" : "routing");
}
