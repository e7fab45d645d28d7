/**
 * Tests where additions go in a module file, for any style of its owner, and that nothing is guessed.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { withSlice } from "./module-file.ts";

const additions = {
  imports: ['import { B } from "./b.ts";'],
  binds: [".bind(B, () => new RealB())"],
  routes: ['$app.group("/b", (api) => {', '  api.get("/", [B, "list"]);', "});"],
};

describe("withSlice", () => {
  it("adds after the last import, the last call of the chain and the last route, and changes nothing else", () => {
    const module = `/** Beans.builder() */
import {
  Beans,
  type Framework,
} from "framework";
import { A } from "./a.ts"; // kept

export function bindBeans() {
  return Beans.builder()
    .bind(A, () => make({ text: ")};" }))
    /* the ; last } one */
    .bindInstance(Clock, { now: () => \`}\${1})\` }); // kept
}

export function addRoutes(web: Framework): void {
  web.get("/", (ctx) => ctx.text("} \\" }")); // }
}
`;
    const expected = `/** Beans.builder() */
import {
  Beans,
  type Framework,
} from "framework";
import { A } from "./a.ts"; // kept
import { B } from "./b.ts";

export function bindBeans() {
  return Beans.builder()
    .bind(A, () => make({ text: ")};" }))
    /* the ; last } one */
    .bindInstance(Clock, { now: () => \`}\${1})\` })
    .bind(B, () => new RealB()); // kept
}

export function addRoutes(web: Framework): void {
  web.get("/", (ctx) => ctx.text("} \\" }")); // }
  web.group("/b", (api) => {
    api.get("/", [B, "list"]);
  });
}
`;
    assert.equal(withSlice(module, additions), expected);
  });

  it("accepts a module without semicolons, and one without a route", () => {
    const module = `import { Beans } from 'framework'
export function bindBeans() {
  const builder = Beans.builder()
  return builder
}
export function addRoutes(app: Framework) {}
`;
    assert.equal(
      withSlice(module, additions),
      `import { Beans } from 'framework'
import { B } from "./b.ts";
export function bindBeans() {
  const builder = Beans.builder()
    .bind(B, () => new RealB())
  return builder
}
export function addRoutes(app: Framework) {
  app.group("/b", (api) => {
    api.get("/", [B, "list"]);
  });
}
`,
    );
  });

  const whole = 'import "framework";\nBeans.builder();\nfunction addRoutes(app) {}\n';
  const lacking: Readonly<Record<string, readonly [module: string, lack: string]>> = {
    "without an import": [whole.replace('import "framework";', ""), "no import"],
    "with the builder in a comment alone": [whole.replace("Beans", "// Beans"), "no Beans.builder()"],
    "with the routes in a string alone": [
      whole.replace("function addRoutes(app) {}", '"function addRoutes(app) {}"'),
      "no function addRoutes(app)",
    ],
    "with a bracket that nothing closes": [whole.replace("{}", "{"), "a bracket that nothing closes"],
  };
  for (const [what, [module, lack]] of Object.entries(lacking)) {
    it(`rejects a module ${what}`, () => {
      assert.throws(() => withSlice(module, additions), {
        name: "UsageError",
        message: `src/module.ts has ${lack}: put its beans and routes back as \`framework new\` wrote them`,
      });
    });
  }

  it("needs only the places for the given additions", () => {
    assert.equal(withSlice("", { imports: [], binds: [], routes: [] }), "");
  });
});
