/**
 * tokens: text is readable on every surface, and the six methods are distinct for colour-blind eyes.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { tokens, tokensCss } from "./tokens.ts";

type Triple = readonly [number, number, number];

const rgb = (hex: string): Triple => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16) / 255) as unknown as Triple;
const linear = (c: number): number => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
const toLinear = (hex: string): Triple => rgb(hex).map(linear) as unknown as Triple;
const times = (m: readonly Triple[], v: Triple): Triple =>
  m.map((row) => row[0] * v[0] + row[1] * v[1] + row[2] * v[2]) as unknown as Triple;
const luminance = (hex: string): number => times([[0.2126, 0.7152, 0.0722]], toLinear(hex))[0];

/** WCAG 2 contrast. */
function contrast(a: string, b: string): number {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

const encode = (c: number): number => (c <= 0.0031308 ? 12.92 * c : 1.055 * c ** (1 / 2.4) - 0.055);

/** Machado, Oliveira and Fernandes 2009, severity 1, on linear RGB. */
const eyes: Readonly<Record<string, readonly Triple[]>> = {
  normal: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

/** A colour as that eye sees it on a screen with 8 bits a channel, in CIELAB. */
function lab(hex: string, eye: readonly Triple[]): Triple {
  const shown = times(eye, toLinear(hex)).map((c) => Math.round(encode(Math.max(0, Math.min(1, c))) * 255) / 255);
  const seen = shown.map(linear) as unknown as Triple;
  const xyz = times(
    [
      [0.4124564, 0.3575761, 0.1804375],
      [0.2126729, 0.7151522, 0.072175],
      [0.0193339, 0.119192, 0.9503041],
    ],
    seen,
  );
  const f = (t: number): number => (t > 216 / 24389 ? Math.cbrt(t) : ((24389 / 27) * t + 16) / 116);
  const [x, y, z] = [f(xyz[0] / 0.95047), f(xyz[1]), f(xyz[2] / 1.08883)];
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

/** CIEDE2000 (Sharma, Wu and Dalal 2005). */
function difference(one: Triple, two: Triple): number {
  const radians = (degrees: number): number => (degrees * Math.PI) / 180;
  const meanC = (Math.hypot(one[1], one[2]) + Math.hypot(two[1], two[2])) / 2;
  const g = 0.5 * (1 - Math.sqrt(meanC ** 7 / (meanC ** 7 + 25 ** 7)));
  const polar = ([l, a, b]: Triple) => ({
    l,
    c: Math.hypot(a * (1 + g), b),
    h: ((Math.atan2(b, a * (1 + g)) * 180) / Math.PI + 360) % 360,
  });
  const [p, q] = [polar(one), polar(two)];
  const turn = q.h - p.h;
  const dh = p.c * q.c === 0 ? 0 : turn > 180 ? turn - 360 : turn < -180 ? turn + 360 : turn;
  const dH = 2 * Math.sqrt(p.c * q.c) * Math.sin(radians(dh / 2));
  const l = (p.l + q.l) / 2;
  const c = (p.c + q.c) / 2;
  const sum = p.h + q.h;
  const h = p.c * q.c === 0 ? sum : Math.abs(turn) <= 180 ? sum / 2 : sum < 360 ? (sum + 360) / 2 : (sum - 360) / 2;
  const t =
    1 -
    0.17 * Math.cos(radians(h - 30)) +
    0.24 * Math.cos(radians(2 * h)) +
    0.32 * Math.cos(radians(3 * h + 6)) -
    0.2 * Math.cos(radians(4 * h - 63));
  const sl = 1 + (0.015 * (l - 50) ** 2) / Math.sqrt(20 + (l - 50) ** 2);
  const sc = 1 + 0.045 * c;
  const sh = 1 + 0.015 * c * t;
  const rt = -Math.sin(radians(60 * Math.exp(-(((h - 275) / 25) ** 2)))) * 2 * Math.sqrt(c ** 7 / (c ** 7 + 25 ** 7));
  const [x, y, z] = [(q.l - p.l) / sl, (q.c - p.c) / sc, dH / sh];
  return Math.sqrt(x * x + y * y + z * z + rt * y * z);
}

describe("tokens", () => {
  test("are measured with the published CIEDE2000 examples", () => {
    assert.equal(difference([50, 2.6772, -79.7751], [50, 0, -82.7485]).toFixed(4), "2.0425");
    assert.equal(difference([50, 2.5, 0], [73, 25, -18]).toFixed(4), "27.1492");
  });

  for (const theme of ["light", "dark"] as const) {
    const of = (name: string): string => tokens[theme][name] ?? assert.fail(`no token ${name}`);
    const inkOn = (name: string): string => tokens[theme][`on-${/^m-(.*)/.exec(name)?.[1]}`] ?? of("on-colour");
    const texts = [
      "text",
      "muted",
      "accent",
      "error",
      "string",
      "number",
      "literal",
      "key",
      ...Object.keys(tokens[theme]).filter((n) => n.startsWith("m-") && n !== "m-put"),
    ];

    test(`keep ${theme} text readable on page, panel and canvas`, () => {
      const low = texts
        .flatMap((name) => ["page", "panel", "canvas"].map((s) => ({ name, s, ratio: contrast(of(name), of(s)) })))
        .filter((x) => x.ratio < 4.5);
      assert.deepEqual(low, []);
    });

    test(`keep ${theme} badge text readable on its badge, and lists readable when selected`, () => {
      const badges = [...Object.keys(tokens[theme]).filter((n) => /^[ms]-/.test(n)), "error"];
      const low = [
        ...badges.map((name) => ({ name, ratio: contrast(inkOn(name), of(name)) })),
        { name: "on-accent", ratio: contrast(of("on-accent"), of("accent")) },
        ...["text", "muted", "error"].map((name) => ({ name, ratio: contrast(of(name), of("selected")) })),
        ...["error-soft", "warn-soft"].map((name) => ({ name, ratio: contrast(of("text"), of(name)) })),
      ].filter((x) => x.ratio < 4.5);
      assert.deepEqual(low, []);
    });

    test(`keep ${theme} edges and field borders visible`, () => {
      assert.deepEqual(
        [
          ["edge", "canvas"],
          ["edge", "panel"],
          ["field", "panel"],
          ["field", "page"],
        ].filter(([a, b]) => contrast(of(a ?? ""), of(b ?? "")) < 3),
        [],
      );
    });

    test(`keep the ${theme} path, edges and borders of fields visible`, () => {
      const marks = Object.keys(tokens[theme]).filter((n) => n.startsWith("m-"));
      const low = [...marks, "error", "warn"]
        .flatMap((name) => ["page", "panel", "canvas"].map((s) => ({ name, s, ratio: contrast(of(name), of(s)) })))
        .filter((x) => x.ratio < 3);
      assert.deepEqual(low, []);
    });

    test(`keep ${theme} methods, stereotypes and the error at least 10 apart`, () => {
      const all = [...Object.keys(tokens[theme]).filter((n) => /^[ms]-/.test(n)), "error"];
      assert.equal(all.length, 15);
      assert.deepEqual(closerThan(10, all, of, eyes["normal"] ?? []), []);
    });

    test(`keep the ${theme} accent ink: almost without a hue, and at least 10 from methods with one, stereotypes and the error`, () => {
      const normal = eyes["normal"] ?? [];
      const [, a, b] = lab(of("accent"), normal);
      assert.ok(Math.hypot(a, b) < 10, `${Math.hypot(a, b)}`);
      const others = Object.keys(tokens[theme]).filter((n) => /^[ms]-(?!options|bean)/.test(n));
      const near = [...others, "error"].filter((n) => difference(lab(of("accent"), normal), lab(of(n), normal)) < 10);
      assert.deepEqual(near, []);
    });

    for (const [name, eye] of Object.entries(eyes)) {
      test(`keep the six ${theme} methods apart for ${name} eyes, and the error from each`, () => {
        const six = ["get", "post", "put", "delete", "patch", "query"].map((n) => `m-${n}`);
        assert.deepEqual(closerThan(9.7, six, of, eye), []);
        const near = six.filter((n) => difference(lab(of("error"), eye), lab(of(n), eye)) < 8);
        assert.deepEqual(near, []);
      });
    }

    test(`keep ${theme} amber amber, by its hue and by being lighter than brown`, () => {
      const [l, a, b] = lab(of("m-put"), eyes["normal"] ?? []);
      const hue = (Math.atan2(b, a) * 180) / Math.PI;
      assert.ok(hue > 65 && hue < 85 && l > 55 && Math.hypot(a, b) > 55, JSON.stringify({ l, hue }));
    });
  }
});

/** The pairs of these colours that this eye sees closer together than the given difference. */
function closerThan(
  least: number,
  names: readonly string[],
  of: (name: string) => string,
  eye: readonly Triple[],
): string[] {
  const all = names.flatMap((a, i) => names.slice(i + 1).map((b) => ({ a, b })));
  return all.flatMap(({ a, b }) => {
    const apart = difference(lab(of(a), eye), lab(of(b), eye));
    return apart < least ? [`${a} ${b} ${apart.toFixed(2)}`] : [];
  });
}

describe("tokensCss", () => {
  test("defines both themes and a hook for each method and stereotype", () => {
    const css = tokensCss();
    assert.match(css, /:root\{color-scheme:light;--page:#f5f6f8;/);
    assert.match(css, /@media not print\{\[data-theme=dark\]\{color-scheme:dark;/);
    assert.match(css, /\[data-method=QUERY\]\{--m:var\(--m-query\)\}/);
    assert.match(css, /\[data-method=PUT\]\{--on-m:var\(--on-put\)\}/);
    assert.match(css, /\[data-stereotype=repository\]\{--s:var\(--s-repository\)\}/);
  });
});
