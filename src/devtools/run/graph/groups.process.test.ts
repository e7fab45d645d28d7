/**
 * arrange keeps a path legible on every screen, and counts the beans outside of it.
 */

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import fc from "fast-check";
import { cpuShare } from "../../cpu-time.testkit.ts";
import type { BeanNode, Stereotype } from "../shapes.ts";
import { fitCamera, LEGIBLE, MARGINS, placeEntry, unseenBeans } from "./geometry.ts";
import { arrange, groupLabel, type Arrangement, type GraphContent } from "./groups.ts";
import { layout } from "./layout.ts";
import { beanSize } from "./geometry.ts";

const document = { createElement: () => ({ getContext: () => null }) };
Object.assign(globalThis, { document });
after(() => void Reflect.deleteProperty(globalThis, "document"));

const kinds: readonly Stereotype[] = ["controller", "service", "repository"];

/** An app of this many beans, three of each next layer used by each; the first of each layer are on the path. */
function wantedOf(count: number, onPath: number, change: Partial<GraphContent> = {}): GraphContent {
  const layer = (i: number): number => Math.min(2, Math.floor((i * 3) / count));
  const ids = Array.from({ length: count }, (_, i) => `${kinds[layer(i)]}NumberNumber${i}`);
  const inLayer = [0, 1, 2].map((at) => ids.filter((_, i) => layer(i) === at));
  const edges = [0, 1].flatMap((at) =>
    (inLayer[at] ?? []).flatMap((from, i) =>
      [i, i * 2 + 1].flatMap((k) => {
        const to = inLayer[at + 1]?.[k % (inLayer[at + 1]?.length ?? 1)];
        return to === undefined ? [] : [{ from, to }];
      }),
    ),
  );
  const node = (id: string, i: number): BeanNode => ({
    id,
    name: id,
    stereotype: kinds[layer(i)] ?? "bean",
    implementation: id,
    traceable: true,
    dependencies: [],
  });
  return {
    ids,
    edges,
    beans: new Map(ids.map((id, i) => [id, node(id, i)])),
    entries: ids.slice(0, 1),
    path: new Set(inLayer.flatMap((all) => all.slice(0, Math.ceil(onPath / 3)))),
    timeOf: (id) => -ids.indexOf(id),
    reach: new Set(ids),
    opened: new Set(),
    screen: { width: 1_440, height: 360 },
    ...change,
  };
}

const arranged = (wanted: GraphContent): Arrangement =>
  arrange(wanted, () => layout(wanted.ids, wanted.edges, (id) => beanSize(wanted.beans.get(id))));
const scaleAt = ({ entries, screen }: GraphContent, { layout: at }: Arrangement): number =>
  (screen && fitCamera(at, at.beans.keys(), placeEntry(at, entries), screen, MARGINS)?.scale) ?? 0;
const shownOf = ({ layout: at }: Arrangement): string[] => [...at.beans.keys()];

describe("arrange", () => {
  test("shows everything without a path, and before there is a screen", () => {
    for (const change of [{ path: new Set<string>() }, { screen: null }]) {
      const wanted = wantedOf(90, 9, change);
      assert.deepEqual([shownOf(arranged(wanted)).length, arranged(wanted).groups], [90, []]);
    }
  });

  test("shows everything if the path is legible in it", () => {
    assert.deepEqual(arranged(wantedOf(12, 6)).groups, []);
  });

  test("collapses beans outside of the path by stereotype, each counted once", () => {
    fc.assert(
      fc.property(fc.integer({ min: 61, max: 200 }), fc.integer({ min: 1, max: 60 }), (count, onPath) => {
        const wanted = wantedOf(count, onPath);
        const { layout: at, groups } = arranged(wanted);
        const hidden = groups.flatMap((group) => group.members);
        assert.deepEqual([...at.beans.keys(), ...hidden].sort(), wanted.ids.toSorted());
        for (const id of wanted.path) assert.ok(at.beans.has(id), id);
        for (const { stereotype, members } of groups)
          assert.ok(members.every((id) => wanted.beans.get(id)?.stereotype === stereotype));
      }),
      { numRuns: 30 },
    );
  });

  test("keeps reachable beans if the path stays legible", () => {
    const near = wantedOf(70, 6).ids.filter((_, i) => i % 7 === 0);
    const { layout: at, groups } = arranged(wantedOf(70, 3, { reach: new Set(near) }));
    for (const id of near) assert.ok(at.beans.has(id), id);
    assert.ok(groups.length > 0 && groups.every((group) => !group.reach));
  });

  test("has 38 beans of a path in sight and legible at 1440 pixels, in an app of 150 and in one of 500", () => {
    for (const count of [150, 500]) {
      const wanted = wantedOf(count, 38);
      const { layout: at } = arranged(wanted);
      const screen = { width: 1_440, height: 360 };
      const camera = fitCamera(at, at.beans.keys(), placeEntry(at, wanted.entries), screen, MARGINS, LEGIBLE);
      assert.ok(camera !== null && camera.scale * 13 >= 11);
      assert.deepEqual(unseenBeans(at, wanted.path, camera, screen), []);
    }
  });

  test("shows the beans of an open group one by one", () => {
    const { layout: at, groups } = arranged(wantedOf(90, 9, { opened: new Set(["repository"]) }));
    const open = groups.find((group) => group.open);
    assert.equal(open?.stereotype, "repository");
    for (const id of open?.members ?? []) assert.ok(at.beans.has(id), id);
    assert.equal(groups.filter((group) => group.open).length, 1);
  });

  test("arranges 500 beans without noticeable delay", () => {
    const wanted = wantedOf(500, 200);
    const share = cpuShare(() => arranged(wanted), 2);
    assert.ok(share < 200, `${share} times the yardstick`);
  });
});

describe("arrange, with more than there is room for", () => {
  test("collapses those of a path of 96 that took least, and counts how many of a group were called", () => {
    const wanted = wantedOf(110, 96);
    const found = arranged(wanted);
    assert.ok(scaleAt(wanted, found) >= LEGIBLE);
    const shown = shownOf(found);
    assert.ok(shown.length >= 30 && shown.length < wanted.path.size, `${shown.length}`);
    const called = found.groups.reduce((sum, group) => sum + group.called, 0);
    assert.equal(shown.length + called, wanted.path.size);
    const least = Math.min(...shown.map(wanted.timeOf));
    const hidden = [...wanted.path].filter((id) => !shown.includes(id));
    assert.ok(hidden.every((id) => wanted.timeOf(id) < least));
  });

  test("shows a chain of 40 in rows", () => {
    const ids = Array.from({ length: 40 }, (_, i) => `Handler${i}`);
    const wanted = wantedOf(3, 3, {
      ids,
      edges: ids.slice(1).map((to, i) => ({ from: ids[i] ?? "", to })),
      beans: new Map(),
      entries: ids.slice(0, 1),
      path: new Set(ids),
      reach: new Set(ids),
    });
    const found = arranged(wanted);
    assert.ok(scaleAt(wanted, found) >= LEGIBLE);
    assert.equal(shownOf(found).length, 40);
  });
});

describe("groupLabel", () => {
  test("counts in plain words", () => {
    const label = (stereotype: Stereotype, members: string[]) =>
      groupLabel({ stereotype, members, open: false, reach: true, called: 0 });
    assert.deepEqual(
      [label("repository", ["a", "b"]), label("bean", ["a"]), label("service", ["a", "b"])],
      ["+2 repositories", "+1 bean", "+2 services"],
    );
  });
});
