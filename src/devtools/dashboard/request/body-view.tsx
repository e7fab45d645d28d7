/**
 * A response body in a suitable view: a tree, events, an image, text or bytes. Nothing in it is ever
 * taken for markup.
 */

import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { Json } from "../../run/shapes.ts";
import { JsonView } from "../json/view.tsx";
import { grouped, size } from "../../run/format.ts";
import { Choice, CopyButton } from "../page/widgets.tsx";
import { bodyKind, hexDump, isReadable, readBody, type BodyView, type ReadBody } from "./body.ts";
import { ItemList } from "./item-list.tsx";
import type { LogItem } from "./item-log.ts";
import type { ReceivedResponse } from "./receive.ts";

const LABEL = "Response body";
const VIEW_NAMES: Readonly<Record<BodyView, string>> = {
  json: "Tree",
  events: "Events",
  rows: "Rows",
  image: "Image",
  text: "Text",
  hex: "Hex",
};

const UNREAD: ReadBody = { views: [], text: "" };

/** The body that the browser received, and a choice of views; `children` is the content above it. */
export function ReceivedBody(props: {
  readonly response: ReceivedResponse;
  readonly wrong: readonly string[] | undefined;
  readonly faultOf: (item: LogItem) => string | undefined;
  readonly head: (views: JSX.Element | null) => JSX.Element;
}): JSX.Element {
  const { response } = props;
  const early = !isReadable(response);
  const body = useMemo(() => (early ? UNREAD : readBody(response)), [response]);
  const [view, setView] = useState<BodyView | undefined>(undefined);
  const shown = view && body.views.includes(view) ? view : (body.views[0] ?? "text");
  const choice = response.bytes.length > 0 && body.views.length > 1;
  return (
    <>
      {props.head(
        choice ? (
          <Choice
            label="Show the body as"
            names={body.views.map((name) => VIEW_NAMES[name])}
            value={VIEW_NAMES[shown]}
            onChange={(name) => setView(body.views.find((one) => VIEW_NAMES[one] === name))}
          />
        ) : null,
      )}
      {early || (response.bytes.length === 0 && !response.stream) ? (
        <p class="hint">
          {response.state ? `${size(response.bytes.length)} of the body so far.` : "The response has no body."}
        </p>
      ) : (
        <Body {...props} body={body} view={shown} />
      )}
    </>
  );
}

function Body(props: {
  readonly body: ReadBody;
  readonly view: BodyView;
  readonly response: ReceivedResponse;
  readonly wrong: readonly string[] | undefined;
  readonly faultOf: (item: LogItem) => string | undefined;
}): JSX.Element {
  const { body, view, response, wrong } = props;
  if (view === "json" && body.json !== undefined)
    return <JsonView value={body.json} label={LABEL} rows={30} tagged={false} raw={body.text} wrong={wrong} />;
  if (view !== "text" && response.stream)
    return <ItemList log={response.stream} label={LABEL} one={view.slice(0, -1)} faultOf={props.faultOf} />;
  if (view === "image" && body.image !== undefined)
    return (
      <div class="json image">
        <img src={body.image} alt={`${LABEL}, ${bodyKind(response)}`} />
      </div>
    );
  return <TextBlock text={view === "hex" ? hexDump(response.bytes) : body.text} />;
}

/** A body that the trace recorded. */
export function RecordedBody(props: {
  readonly body: Json;
  readonly of: "request" | "response";
  readonly wrong?: readonly string[] | undefined;
}): JSX.Element {
  const { body, of } = props;
  const label = of === "response" ? LABEL : "Request body";
  if (body === null)
    return (
      <p class="hint">
        {of === "response" ? "The response had no body." : "No body, or none that the application read."}
      </p>
    );
  if (typeof body === "string") return <TextBlock text={body} label={label} />;
  return <JsonView value={body} label={label} rows={30} tagged wrong={props.wrong} />;
}

/** Characters of a text that are drawn; the copy button has them all. */
const MAX_TEXT = 200_000;

/** A text that can be copied. */
export function TextBlock({ text, label = LABEL }: { readonly text: string; readonly label?: string }): JSX.Element {
  return (
    <div class="json">
      <div class="json-tools">
        <CopyButton label="Copy" text={() => text} />
      </div>
      <pre class="text" role="region" aria-label={label} tabIndex={0}>
        {text.slice(0, MAX_TEXT)}
        {text.length > MAX_TEXT && `\n… ${grouped(text.length - MAX_TEXT)} more characters; Copy has them all`}
      </pre>
    </div>
  );
}
