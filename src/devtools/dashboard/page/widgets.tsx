/**
 * Small parts that several views share: method badge, status, tabs, splitter, copy button.
 */

import type { ComponentChildren, JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import type { Trace } from "../../run/shapes.ts";
import { clamp } from "../../run/format.ts";
import type { IconName } from "../../run/graph/icon-paths.ts";
import { Icon } from "./icons.tsx";
import { onKeys } from "./on-keys.ts";

/** An HTTP method in its colour, always with its name. */
export function Method({ name }: { readonly name: string }): JSX.Element {
  return (
    <span class="method" data-method={name}>
      {name}
    </span>
  );
}

/** How a run ended: the status of a request, coloured by its class. Other work has no status, it succeeded or failed. */
export function Status({ code, of }: { readonly code: number; readonly of?: Trace["kind"] }): JSX.Element {
  const words = code < 400 ? "ok" : "failed";
  return (
    <span class="status" data-class={String(code)[0]}>
      {of ? words : code || "—"}
    </span>
  );
}

interface TabItem<T extends string> {
  readonly id: T;
  readonly label: string;
  /** Shown next to the label, not part of the name. */
  readonly extra?: string | undefined;
}

/** A list of tabs, after the ARIA pattern. The panel is `panel-<id>`. */
export function Tabs<T extends string>(props: {
  readonly label: string;
  readonly items: readonly TabItem<T>[];
  readonly value: T;
  readonly onChange: (value: T) => void;
  readonly children?: ComponentChildren;
}): JSX.Element {
  const list = useRef<HTMLDivElement>(null);
  const move = (step: number) => (): void => {
    const at = props.items.findIndex((item) => item.id === props.value);
    const next = props.items.at((at + step) % props.items.length);
    if (next) props.onChange(next.id);
    requestAnimationFrame(() => list.current?.querySelector<HTMLElement>("[aria-selected=true]")?.focus());
  };
  return (
    <div class="tab-row">
      <div
        class="tabs"
        role="tablist"
        aria-label={props.label}
        ref={list}
        onKeyDown={onKeys({ ArrowRight: move(1), ArrowLeft: move(-1) })}
      >
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
            {extra && <small aria-hidden="true">{extra}</small>}
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

/** One of several values, each with its name if that is another text. */
export function Select(props: {
  readonly label: string;
  readonly options: readonly (readonly [value: string | number, name?: string])[];
  readonly value: string | number;
  readonly onChange: (value: string) => void;
  readonly more?: Readonly<Record<string, string | boolean>>;
}): JSX.Element {
  return (
    <select
      aria-label={props.label}
      {...props.more}
      value={props.value}
      onChange={(event) => props.onChange(event.currentTarget.value)}
    >
      {props.options.map(([value, name = value]) => (
        <option key={value} value={value}>
          {name}
        </option>
      ))}
    </select>
  );
}

/** A table with a head. */
export function Table(props: {
  readonly label?: string;
  readonly class?: string;
  readonly head: readonly string[];
  /** The positions of columns with numbers, which are aligned at the right. */
  readonly numbers?: readonly number[];
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <table class={props.class ?? "panel-table"} aria-label={props.label}>
      <thead>
        <tr>
          {props.head.map((name, at) => (
            <th key={name} scope="col" class={props.numbers?.includes(at) ? "num" : undefined}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{props.children}</tbody>
    </table>
  );
}

/** A button that opens a file chooser; the field itself is out of sight. */
export function FileButton(props: {
  readonly label: string;
  readonly field: string;
  readonly accept?: string;
  readonly onChoose: (files: readonly File[]) => void;
  readonly more?: Readonly<Record<string, string>>;
}): JSX.Element {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" class="quiet" {...props.more} onClick={() => input.current?.click()}>
        {props.label}
      </button>
      <input
        ref={input}
        type="file"
        class="hidden"
        accept={props.accept}
        aria-label={props.field}
        tabIndex={-1}
        onChange={(event) => {
          const files = [...(event.currentTarget.files ?? [])];
          event.currentTarget.value = "";
          if (files.length > 0) props.onChoose(files);
        }}
      />
    </>
  );
}

/** A button with a picture, and an accessible name. */
export function IconButton(props: {
  readonly icon: IconName;
  readonly label: string;
  /** Whether it is among smaller ones. */
  readonly isQuiet?: boolean;
  readonly onClick: () => void;
  readonly title?: string;
  readonly "aria-pressed"?: boolean;
  readonly "aria-disabled"?: boolean;
}): JSX.Element {
  const { icon, label, isQuiet, ...more } = props;
  return (
    <button type="button" class={isQuiet ? "icon-button quiet" : "icon-button"} aria-label={label} {...more}>
      <Icon name={icon} />
    </button>
  );
}

/** Removes something. */
export function RemoveButton(props: { readonly what: string; readonly onClick: () => void }): JSX.Element {
  return <IconButton icon="close" label={`Remove ${props.what}`} onClick={props.onClick} />;
}

/** Why something is not available; nothing without a reason. */
export function Failure({ reason }: { readonly reason: string | null }): JSX.Element | null {
  return reason === null ? null : (
    <p class="notice" role="alert">
      {reason}
    </p>
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
  const set = (wanted: number): void => props.onChange(Math.round(clamp(wanted, min, max)));
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
        const step = event.shiftKey ? 80 : 20;
        const less = (): void => set(value - step);
        const more = (): void => set(value + step);
        onKeys({ ArrowLeft: less, ArrowUp: less, ArrowRight: more, ArrowDown: more })(event);
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
      {said ? said : label}
    </button>
  );
}

/** Shown in place of a run if none is selected. */
export function NoRun(): JSX.Element {
  return <Empty title="No run selected">Send a request, or pick a run.</Empty>;
}

/** What to do when there is nothing to show. */
export function Empty(props: { readonly title: string; readonly children?: ComponentChildren }): JSX.Element {
  return (
    <div class="empty">
      <b>{props.title}</b>
      <p>{props.children}</p>
    </div>
  );
}
