/**
 * State of views: when they are drawn again, and what they keep from one drawing to the next.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Component, Fragment, h } from "preact";
import type { ComponentChildren } from "preact";
import { batch, signal } from "./signals.ts";
import { drawingOf, useComputed, useEffect, useId, useMemo, useRef, useSignal, useState } from "./state.ts";

type Props = Readonly<Record<string, unknown>>;

/** A view in a document that draws at once, as Preact calls its component. */
function mount(view: (props: Props) => ComponentChildren, first: Props = {}) {
  const drawing = new (drawingOf(view))(first);
  drawing.props = first;
  const shown: ComponentChildren[] = [];
  const draw = (): void => {
    shown.push(drawing.render());
    if (shown.length === 1) drawing.componentDidMount();
    else drawing.componentDidUpdate();
  };
  drawing.setState = draw;
  draw();
  return {
    shown,
    /** The parent has drawn it with these. */
    give: (props: Props): void => {
      const isOther = drawing.shouldComponentUpdate(props, drawing.state);
      drawing.props = props;
      if (isOther) draw();
    },
    leave: (): void => drawing.componentWillUnmount(),
  };
}

describe("drawingOf", () => {
  test("draws again when a signal that was read has changed", () => {
    const name = signal("a");
    const { shown } = mount(() => name.value);
    name.value = "b";
    name.value = "b";
    name.value = "c";
    assert.deepEqual(shown, ["a", "b", "c"]);
  });

  test("draws once when several have changed together", () => {
    const [first, second] = [signal(1), signal(2)];
    const { shown } = mount(() => first.value + second.value);
    batch(() => {
      first.value = 10;
      second.value = 20;
    });
    assert.deepEqual(shown, [3, 30]);
  });

  test("does not draw for a signal that the last drawing did not read", () => {
    const [isNamed, name] = [signal(true), signal("a")];
    const { shown } = mount(() => (isNamed.value ? name.value : "nobody"));
    isNamed.value = false;
    name.value = "b";
    assert.deepEqual(shown, ["a", "nobody"]);
  });

  test("draws when one of the props is another, is gone or is new, and else not", () => {
    const { shown, give } = mount((props) => JSON.stringify(props), { a: 1 });
    for (const props of [{ a: 1 }, { a: 2 }, { a: 2, b: 3 }, { b: 3 }, { b: 3 }]) give(props);
    assert.deepEqual(shown, ['{"a":1}', '{"a":2}', '{"a":2,"b":3}', '{"b":3}']);
  });

  test("draws with the same props where it asked for it", () => {
    const drawing = new (drawingOf(() => null))({});
    assert.deepEqual(
      [{}, drawing.state].map((state) => drawing.shouldComponentUpdate({}, state)),
      [true, false],
    );
  });

  test("draws no more once the view is gone", () => {
    const name = signal("a");
    const { shown, leave } = mount(() => name.value);
    leave();
    name.value = "b";
    assert.deepEqual(shown, ["a"]);
  });

  test("hands on what a view throws, and draws the next time", () => {
    const isBroken = signal(true);
    const view = (): string => {
      if (isBroken.value) throw new Error("broken");
      return "whole";
    };
    assert.throws(() => mount(view), /^Error: broken$/);
    isBroken.value = false;
    assert.deepEqual(mount(view).shown, ["whole"]);
  });

  test("is what an element of a view is made of, the same each time; tags, fragments and classes stay", () => {
    const view = (): null => null;
    class Other extends Component {
      override render(): null {
        return null;
      }
    }
    assert.deepEqual(
      [h(view, null), h(view, null), h("p", null), h(Fragment, null), h(Other, null)].map(({ type }) => type),
      [drawingOf(view), drawingOf(view), "p", Fragment, Other],
    );
  });
});

describe("useEffect", () => {
  test("runs after a drawing with other inputs, taking the last run back first, and is taken back at the end", () => {
    const [input, other] = [signal("a"), signal(0)];
    const log: string[] = [];
    const { leave } = mount(() => {
      const now = input.value;
      log.push(`draw ${now} ${other.value}`);
      useEffect(() => {
        log.push(`run ${now}`);
        return () => log.push(`undo ${now}`);
      }, [now]);
      useEffect(() => void log.push("once"), []);
      return null;
    });
    other.value = 1;
    input.value = "b";
    leave();
    assert.deepEqual(log, ["draw a 0", "run a", "once", "draw a 1", "draw b 1", "undo a", "run b", "undo b"]);
  });

  test("may change what the view reads", () => {
    const { shown } = mount(() => {
      const [at, setAt] = useState(0);
      useEffect(() => setAt(1), []);
      return at;
    });
    assert.deepEqual(shown, [0, 1]);
  });
});

describe("what a view keeps", () => {
  test("useMemo makes it anew for other inputs alone", () => {
    let made = 0;
    const { shown, give } = mount(({ of }) => useMemo(() => `${String(of)} ${++made}`, [of]), { of: "a" });
    for (const props of [{ of: "a", more: 1 }, { of: "b" }, { of: "a" }]) give(props);
    assert.deepEqual(shown, ["a 1", "a 1", "b 2", "a 3"]);
  });

  test("useRef, useSignal and useId give the same each time, and each view its own", () => {
    const view = (): string => {
      const [box, count] = [useRef(0), useSignal(0)];
      box.current = (box.current ?? 0) + 1;
      kept.add(box).add(count).add(useId());
      return `${box.current} ${count.value}`;
    };
    const kept = new Set<unknown>();
    const { shown, give } = mount(view);
    give({ a: 1 });
    assert.deepEqual([shown, kept.size], [["1 0", "2 0"], 3]);
    mount(view);
    assert.equal(kept.size, 6);
  });

  test("useState draws again with what was set", () => {
    let set = (_value: string): void => {};
    const { shown } = mount(() => {
      const [name, setName] = useState("a");
      set = setName;
      return name;
    });
    set("b");
    assert.deepEqual(shown, ["a", "b"]);
  });

  test("useComputed draws again when the value is another, and computes with the inputs of now", () => {
    const count = signal(1);
    const { shown, give } = mount(
      ({ above }) => String(useComputed(() => count.value > Number(above), [above]).value),
      { above: 2 },
    );
    count.value = 2;
    count.value = 3;
    give({ above: 3 });
    assert.deepEqual(shown, ["false", "true", "false"]);
  });
});
