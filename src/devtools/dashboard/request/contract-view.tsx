/**
 * A contract in readable form: of the route, of a body, of a response, and of the request that it rejected.
 */

import type { JSX } from "preact";
import { focusField } from "../forms/field.tsx";
import { schemaText } from "../forms/words.ts";
import { count } from "../../run/format.ts";
import { CopyButton } from "../page/widgets.tsx";
import type { ContractPart, ContractResponse, RouteInfo } from "../../run/shapes.ts";
import { unlistedIn } from "./issues.ts";
import { responseWords } from "./item-log.ts";
import { issues, send } from "./page-request.ts";

/** The documentation of the route. */
export function About({ route }: { readonly route: RouteInfo }): JSX.Element | null {
  const { summary, description, deprecated, security } = route.contract ?? {};
  const needs = security?.map((one) => Object.keys(one).join(" and ")).join(" or ");
  if (summary === undefined && description === undefined && !deprecated && !needs) return null;
  return (
    <p class="hint origin">
      <b>{summary}</b>
      {deprecated && <em class="flag">deprecated</em>} {description}
      {needs && ` Needs ${needs}.`}
    </p>
  );
}

/** A schema that reads like a type, folded at first; it can be copied as JSON Schema. */
export function SchemaText(props: {
  readonly of: string;
  readonly part: ContractPart | null | undefined;
}): JSX.Element | null {
  const { of, part } = props;
  if (part === undefined) return null;
  const schema = part?.schema ?? null;
  return (
    <details class="schema">
      <summary>Schema of {of}</summary>
      {schema ? (
        <>
          <pre class="text" role="region" aria-label={`Schema of ${of}`} tabIndex={0}>
            {schemaText(schema, schema)}
          </pre>
          <CopyButton label="Copy JSON Schema" text={() => JSON.stringify(schema, null, 2)} />
        </>
      ) : (
        <p class="hint">{part ? "Not described: no JSON Schema." : "No content."}</p>
      )}
    </details>
  );
}

/** The schemas of a declared response: of its value, of each row, or of each event. Other kinds have none. */
export function ResponseSchemas(props: {
  readonly of: string;
  readonly declared: ContractResponse | null | undefined;
}): JSX.Element | null {
  const { of, declared } = props;
  const { kind, events = {}, schema } = declared ?? {};
  if (!kind) return <SchemaText of={of} part={declared} />;
  if (kind === "stream" && schema) return <SchemaText of="a row" part={{ schema }} />;
  return (
    <>
      {Object.entries(events).map(([name, part]) => (
        <SchemaText key={name} of={`the event ${name}`} part={part} />
      ))}
    </>
  );
}

/** What the contract of a route declares to send: each response by its status, and the messages of a WebSocket. */
export function Declared({ route }: { readonly route: RouteInfo }): JSX.Element | null {
  const { responses = {}, messages = {} } = route.contract ?? {};
  const statuses = Object.entries(responses);
  return (
    <>
      {statuses.length > 0 && (
        <details class="schema declared">
          <summary>Responses: {statuses.map(([status]) => status).join(", ")}</summary>
          {statuses.map(([status, declared]) => (
            <div key={status} data-response={status}>
              <b>{status}</b> {responseWords(declared)}
              <ResponseSchemas of={status} declared={declared ?? { schema: null, kind: "empty" }} />
            </div>
          ))}
        </details>
      )}
      <SchemaText of="incoming messages" part={messages.incoming} />
      <SchemaText of="outgoing messages" part={messages.outgoing} />
    </>
  );
}

/** Issues with their places, each linked to its field if it has one. */
export function IssueList(props: {
  readonly title: string;
  readonly issues: readonly { readonly part?: string; readonly pointer: string; readonly message: string }[];
}): JSX.Element {
  return (
    <>
      <b>{props.title}</b>
      <ul>
        {props.issues.map(({ part, pointer, message }) => (
          <li>
            {part === undefined ? (
              <code>{pointer}</code>
            ) : (
              <button type="button" class="link" onClick={() => focusField(part, pointer)}>
                {part + pointer}
              </button>
            )}{" "}
            {message}
          </li>
        ))}
      </ul>
    </>
  );
}

/** Every rejected value. */
export function Rejected(): JSX.Element | null {
  const left = issues.value;
  if (left.length === 0) return null;
  const more = unlistedIn(send.exchange.value?.response);
  return (
    <div class="notice" role="alert">
      <IssueList
        title={`${count(left.length, "issue")} in this request${more ? `, ${more} more` : ""}`}
        issues={left}
      />
    </div>
  );
}
