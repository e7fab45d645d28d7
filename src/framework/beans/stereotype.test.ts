/** stereotype: which of the four places that can tell is believed. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Beans } from "./beans.ts";
import { Interface } from "./interface.ts";
import type { Stereotype } from "./types.ts";

describe("stereotype", () => {
  class Marked {
    static readonly stereotype: string = "component";
    readonly size: number = 1;
  }
  class Other {
    static readonly stereotype: string = "loudspeaker";
    readonly size: number = 1;
  }
  const any = (name: string, stereotype?: Stereotype) => Interface<object>(name, { stereotype });
  const table: Record<string, [object, Stereotype | undefined, Stereotype]> = {
    "the bind option over the token's": [any("XService", "controller"), "repository", "repository"],
    "the token's over the suffix": [any("XService", "controller"), undefined, "controller"],
    "a class's static over the suffix": [Marked, undefined, "component"],
    "a suffix": [any("UserController"), undefined, "controller"],
    "the suffix Component": [any("MailComponent"), undefined, "component"],
    "bean when nothing tells": [any("Microservice"), undefined, "bean"],
    "bean when a static means something else": [Other, undefined, "bean"],
  };
  for (const [title, [type, stereotype, expected]] of Object.entries(table)) {
    it(`is ${title}`, () => {
      const beans = Beans.builder()
        .bind(type as Interface<object>, () => ({}), { stereotype })
        .start();
      assert.equal(beans.graph().nodes[0]?.stereotype, expected);
    });
  }
});
