/**
 * The dialogs: the keys, the palette that goes to a route, a bean or a run, and the replay of a run.
 */

import type { JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { clamp, duration, routeKey, shownPath } from "../../run/format.ts";
import { ReplayDialog } from "../replay/view.tsx";
import type { Trace } from "../../run/shapes.ts";
import { application, panels, selection } from "../store/page-store.ts";
import { Marks } from "./marks.tsx";
import { shortcuts } from "./shortcuts.ts";

const MAX_HITS = 12;

/** The open dialog. */
export function Dialogs(): JSX.Element | null {
  const open = panels.dialog.value;
  const dialog = useRef<HTMLDialogElement>(null);
  // Before the next key, because text typed immediately after Ctrl+K belongs into the palette.
  useLayoutEffect(() => {
    if (open && dialog.current?.open === false) dialog.current.showModal();
  }, [open]);
  if (!open) return null;
  // Immediately, not with its event, which comes later and would close a dialog that Ctrl+K has opened since.
  const close = (): void => {
    dialog.current?.close();
    panels.dialog.value = null;
  };
  return (
    <dialog
      ref={dialog}
      class={open}
      aria-label={names[open]}
      onClose={(event) => {
        if (event.currentTarget === dialog.current) panels.dialog.value = null;
      }}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.preventDefault();
        close();
      }}
      onClick={(event) => {
        if (event.target === event.currentTarget) close();
      }}
    >
      {open === "help" && <Help onClose={close} />}
      {open === "palette" && <Palette onClose={close} />}
      {open === "replay" && <ReplayDialog onClose={close} />}
    </dialog>
  );
}

const names = { help: "Keys", palette: "Go to", replay: "Replay run" };

function Help({ onClose }: { readonly onClose: () => void }): JSX.Element {
  return (
    <>
      <div class="dialog-head">
        <h2>Keys</h2>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
      <dl>
        {shortcuts.map(([keys, does]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <h2>Marks</h2>
      <Marks />
    </>
  );
}

interface Hit {
  readonly kind: "route" | "bean" | "run";
  readonly text: string;
  readonly go: () => void;
}

function hits(query: string): Hit[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const hit = (kind: Hit["kind"], text: string, go: () => void): Hit => ({ kind, text, go });
  const textOf = (t: Trace): string => `${t.method} ${shownPath(t.path)} ${t.status} ${duration(t.durationUs)}`;
  return [
    ...application.routes.value.map((r) => hit("route", routeKey(r), () => selection.selectRoute(routeKey(r)))),
    ...selection.graph.value.nodes.map(({ id }) => hit("bean", id, () => selection.selectBean(id))),
    ...application.traces.value.map((t) => hit("run", textOf(t), () => selection.selectTrace(t))),
  ]
    .filter(({ kind, text }) => words.every((w) => `${kind} ${text}`.toLowerCase().includes(w)))
    .slice(0, MAX_HITS);
}

function Palette({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const [query, setQuery] = useState("");
  const [at, setAt] = useState(0);
  const found = hits(query);
  const choose = (hit: Hit | undefined): void => {
    if (!hit) return;
    onClose();
    hit.go();
  };
  const onKey = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key] ?? 0;
    if (event.key === "Enter") choose(found[at]);
    if (step === 0 && event.key !== "Enter") return;
    event.preventDefault();
    setAt(clamp(at + step, 0, found.length - 1));
  };
  return (
    <>
      <input
        role="combobox"
        aria-label="Go to"
        aria-expanded="true"
        aria-controls="hits"
        aria-activedescendant={found.length > 0 ? `hit-${at}` : undefined}
        placeholder="Route, bean or run"
        value={query}
        onInput={(event) => {
          setQuery(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={onKey}
      />
      <ul id="hits" role="listbox" aria-label="Results">
        {found.map((hit, i) => (
          <li id={`hit-${i}`} role="option" aria-selected={i === at} onClick={() => choose(hit)}>
            <span class="muted">{hit.kind}</span>
            <code>{hit.text}</code>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p class="hint">Nothing matches.</p>}
    </>
  );
}
