/**
 * Small parts that several views share: method badge, status, tabs, splitter, copy button.
 */

import type { ComponentChildren, JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import type { Trace } from "../../wire.ts";

/** An HTTP method in its colour; the name always says it too. */
export function Method({ name }: { readonly name: string }): JSX.Element {
  return (
    <span class="method" data-method={name}>
      {name}
    </span>
  );
}

/** A status code, coloured by its class. */
export function Status({ code }: { readonly code: number }): JSX.Element {
  return (
    <span class="status" data-class={String(code).slice(0, 1)}>
      {code === 0 ? "—" : code}
    </span>
  );
}

/** How a run ended: the status of a request; other work has none, it succeeded or failed. */
export function RunStatus({ trace }: { readonly trace: Pick<Trace, "status" | "kind"> }): JSX.Element {
  if (trace.kind === undefined) return <Status code={trace.status} />;
  return (
    <span class="status" data-class={String(trace.status).slice(0, 1)}>
      {trace.status < 400 ? "ok" : "failed"}
    </span>
  );
}

interface TabItem<T extends string> {
  readonly id: T;
  readonly label: string;
  /** Shown beside the label, not part of the name. */
  readonly extra?: string | undefined;
}

/** A list of tabs, as the ARIA pattern wants it. The panel is `panel-<id>`. */
export function Tabs<T extends string>(props: {
  readonly label: string;
  readonly items: readonly TabItem<T>[];
  readonly value: T;
  readonly onChange: (value: T) => void;
  /** What stands at the right end of the row. */
  readonly children?: ComponentChildren;
}): JSX.Element {
  const list = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key] ?? 0;
    const at = props.items.findIndex((item) => item.id === props.value);
    const next = props.items[(at + step + props.items.length) % props.items.length];
    if (step === 0 || next === undefined) return;
    event.preventDefault();
    props.onChange(next.id);
    requestAnimationFrame(() => list.current?.querySelector<HTMLElement>("[aria-selected=true]")?.focus());
  };
  return (
    <div class="tab-row">
      <div class="tabs" role="tablist" aria-label={props.label} ref={list} onKeyDown={move}>
        {props.items.map(({ id, label, extra }) => (
          <button
            key={id}
            type="button"
            role="tab"
            id={`tab-${id}`}
            aria-controls={id === props.value ? `panel-${id}` : undefined}
            aria-selected={id === props.value}
            tabIndex={id === props.value ? 0 : -1}
            onClick={() => props.onChange(id)}
          >
            {label}
            {extra !== undefined && <small aria-hidden="true">{extra}</small>}
          </button>
        ))}
      </div>
      {props.children}
    </div>
  );
}

/** One of a few ways to show the same thing. */
export function Choice<T extends string>(props: {
  readonly label: string;
  readonly names: readonly T[];
  readonly value: T;
  readonly onChange: (name: T) => void;
}): JSX.Element {
  return (
    <div class="views" role="group" aria-label={props.label}>
      {props.names.map((name) => (
        <button
          key={name}
          type="button"
          class="quiet"
          aria-pressed={name === props.value}
          onClick={() => props.onChange(name)}
        >
          {name}
        </button>
      ))}
    </div>
  );
}

/** A movable border: by mouse, and by arrow keys. */
export function Splitter(props: {
  readonly label: string;
  readonly axis: "x" | "y";
  readonly value: number;
  readonly min: number;
  readonly max: number;
  readonly onChange: (value: number) => void;
}): JSX.Element {
  const drag = useRef<number | null>(null);
  const { axis, value, min, max } = props;
  const set = (wanted: number): void => props.onChange(Math.round(Math.max(min, Math.min(max, wanted))));
  const at = (event: PointerEvent): number => (axis === "x" ? event.clientX : event.clientY);
  return (
    <div
      class="splitter"
      data-axis={axis}
      role="separator"
      tabIndex={0}
      aria-label={props.label}
      aria-orientation={axis === "x" ? "vertical" : "horizontal"}
      aria-valuenow={value}
      aria-valuemin={min}
      aria-valuemax={max}
      onPointerDown={(event) => {
        drag.current = at(event) - value;
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={(event) => {
        if (drag.current !== null) set(at(event) - drag.current);
      }}
      onPointerUp={() => {
        drag.current = null;
      }}
      onKeyDown={(event) => {
        const step =
          (event.shiftKey ? 80 : 20) * ({ ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key] ?? 0);
        if (step === 0) return;
        event.preventDefault();
        set(value + step);
      }}
    />
  );
}

/** Copies a text and says so for a moment. */
export function CopyButton({ label, text }: { readonly label: string; readonly text: () => string }): JSX.Element {
  const [said, say] = useState("");
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text());
      say("Copied");
    } catch {
      say("The browser denied it");
    }
    setTimeout(() => say(""), 1_500);
  };
  return (
    <button type="button" class="quiet" onClick={() => void copy()} aria-live="polite">
      {said === "" ? label : said}
    </button>
  );
}

/** What to do when there is nothing to show. */
export function Empty({
  title,
  children,
}: {
  readonly title: string;
  readonly children?: ComponentChildren;
}): JSX.Element {
  return (
    <div class="empty">
      <b>{title}</b>
      <p>{children}</p>
    </div>
  );
}
