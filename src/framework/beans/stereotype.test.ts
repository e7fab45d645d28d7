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
  class MarkedService extends Marked {}
  class Other {
    static readonly stereotype: string = "loudspeaker";
    readonly size: number = 1;
  }
  const any = (name: string, stereotype?: Stereotype) => Interface<object>(name, { stereotype });
  const table: Record<string, [object, Stereotype | undefined, Stereotype]> = {
    "BEAN-014: is the bind option over the token's": [any("XService", "controller"), "repository", "repository"],
    "BEAN-014: is the bind option over a class's static": [Marked, "repository", "repository"],
    "BEAN-014: is the token's over the suffix": [any("XService", "controller"), undefined, "controller"],
    "BEAN-014: is a class's static over the suffix": [MarkedService, undefined, "component"],
    "BEAN-015: is the suffix Service": [any("UserService"), undefined, "service"],
    "BEAN-015: is the suffix Repository": [any("UserRepository"), undefined, "repository"],
    "BEAN-015: is the suffix Controller": [any("UserController"), undefined, "controller"],
    "BEAN-015: is the suffix Component": [any("MailComponent"), undefined, "component"],
    "BEAN-015: is bean when nothing tells": [any("Microservice"), undefined, "bean"],
    "BEAN-015: is bean when a static means something else": [Other, undefined, "bean"],
  };
  for (const [title, [type, stereotype, expected]] of Object.entries(table)) {
    it(title, () => {
      const beans = Beans.builder()
        .bind(type as Interface<object>, () => ({}), { stereotype })
        .start();
      assert.equal(beans.graph().nodes[0]?.stereotype, expected);
    });
  }
});
