/**
 * What views stand on: a view is drawn again when a signal that it read has changed, or its props have, and says so nowhere.
 *
 *   options.vnode ──▶ the view's function as a component ──▶ drawn inside an effect ──▶ a signal changes ──▶ drawn again
 *
 * Between drawings a view keeps what it asked for by `use…()`, found by the order of the calls, as with Preact's own
 * hooks: the same calls each time, none of them in a condition. An effect runs once what was drawn is in the document.
 *
 * In place of `preact/hooks`, which is three times as long: it also knows reducers, contexts and error boundaries, and
 * nothing of signals.
 */

import { Component, Fragment, options } from "preact";
import type { ComponentChildren, RefObject } from "preact";
import { computed, effect, signal } from "./signals.ts";
import type { ReadonlySignal, Signal } from "./signals.ts";

type Props = Readonly<Record<string, unknown>>;
type View = (props: Props) => ComponentChildren;
type Inputs = readonly unknown[];
type Undo = () => void;
type Effect = () => Undo | undefined | void;

/** What one call of a hook keeps. */
interface Slot {
  inputs?: Inputs;
  value?: unknown;
  /** The effect that is to run after this drawing. */
  due?: Effect | undefined;
  /** What takes back the effect that ran. */
  undo?: Undo | undefined | void;
}

/** The slots of the view that is being drawn, and the next of them. */
let [slots, next]: [Slot[], number] = [[], 0];

/** A view's place in the document. */
export abstract class Drawing extends Component<Props> {
  abstract readonly view: View;
  readonly #slots: Slot[] = [];
  #stop: Undo = () => {};

  override shouldComponentUpdate(props: Props, state: object): boolean {
    for (const name in props) if (props[name] !== this.props[name]) return true;
    for (const name in this.props) if (!(name in props)) return true;
    return state !== this.state;
  }

  override componentDidMount(): void {
    for (const slot of this.#slots) {
      if (!slot.due) continue;
      slot.undo?.();
      slot.undo = slot.due();
      slot.due = undefined;
    }
  }

  override componentDidUpdate(): void {
    this.componentDidMount();
  }

  override componentWillUnmount(): void {
    this.#stop();
    for (const slot of this.#slots) slot.undo?.();
  }

  /** Draws inside an effect that is of use once: when it runs again, something has changed, and it reads nothing more. */
  override render(): ComponentChildren {
    let drawn: ComponentChildren;
    let isDrawn = false;
    this.#stop();
    this.#stop = effect(() => {
      if (isDrawn) return this.setState({});
      isDrawn = true;
      [slots, next] = [this.#slots, 0];
      drawn = this.view(this.props);
    });
    return drawn;
  }
}

const drawings = new WeakMap<View, new (props: Props) => Drawing>();

/** The component that a view becomes, the same one each time. */
export function drawingOf(view: View): new (props: Props) => Drawing {
  let drawing = drawings.get(view);
  if (!drawing) {
    drawing = class extends Drawing {
      readonly view = view;
    };
    drawings.set(view, drawing);
  }
  return drawing;
}

options.vnode = (node) => {
  const { type } = node;
  if (typeof type !== "function" || type === Fragment || type.prototype instanceof Component) return;
  node.type = drawingOf(type as View) as typeof type;
};

/** The slot of this call, and whether its inputs are others than before. */
function slotOf(inputs: Inputs): [slot: Slot, isNew: boolean] {
  const slot = (slots[next++] ??= {});
  const before = slot.inputs;
  slot.inputs = inputs;
  return [slot, before === undefined || inputs.some((input, i) => input !== before[i])];
}

/** What was made when the inputs last changed. */
export function useMemo<T>(make: () => T, inputs: Inputs): T {
  const [slot, isNew] = slotOf(inputs);
  if (isNew) slot.value = make();
  return slot.value as T;
}

/** Runs when what was drawn is in the document, if the inputs have changed; what it returns takes it back. */
export function useEffect(run: Effect, inputs: Inputs): void {
  const [slot, isNew] = slotOf(inputs);
  if (isNew) slot.due = run;
}

/** A box of this view's own, for an element or for a value that nothing shows. */
export function useRef<T>(current: T | null): RefObject<T | null> {
  return useMemo(() => ({ current }), []);
}

/** A signal of this view's own. */
export function useSignal<T>(initial: T): Signal<T> {
  return useMemo(() => signal(initial), []);
}

/** The value of such a signal, and what sets it. */
export function useState<T>(initial: T): [T, (value: T) => void] {
  const state = useSignal(initial);
  return [state.value, (value) => (state.value = value)];
}

/** What is computed from signals, and from the inputs. */
export function useComputed<T>(compute: () => T, inputs: Inputs): ReadonlySignal<T> {
  return useMemo(() => computed(compute), inputs);
}

let ids = 0;

/** An id for elements of this view. */
export function useId(): string {
  return useMemo(() => `view-${ids++}`, []);
}
