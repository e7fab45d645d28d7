import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { sentence } from "./listen-errors.ts";

const coded = (code: string): Error => Object.assign(new Error("listen failed"), { code });
const named = (name: string): Error => Object.assign(new Error("listen failed"), { name });

describe("sentence", () => {
  const inUse = "stop what listens there, or choose another port (app.start(0) picks a free one)";
  const cases: readonly (readonly [thrown: unknown, host: string | undefined, message: string, code?: string])[] = [
    [coded("EADDRINUSE"), "::1", `::1:80 is in use: ${inUse}`, "EADDRINUSE"],
    [named("AddrInUse"), undefined, `port 80 is in use: ${inUse}`],
    [coded("EACCES"), undefined, "port 80 needs rights that this process lacks: choose a port above 1023", "EACCES"],
    [named("PermissionDenied"), "h", "h:80 needs rights that this process lacks: choose a port above 1023"],
    [coded("EADDRNOTAVAIL"), "h", "h:80 cannot be listened on: this machine has no such address", "EADDRNOTAVAIL"],
    [named("AddrNotAvailable"), "h", "h:80 cannot be listened on: this machine has no such address"],
    [coded("ENOTFOUND"), "nowhere.example", "the host nowhere.example is unknown", "ENOTFOUND"],
    [coded("EMFILE"), undefined, "cannot listen on port 80: listen failed", "EMFILE"],
    ["no server", "h", "cannot listen on h:80: no server"],
  ];
  for (const [thrown, host, message, code] of cases)
    test(`says ${message.slice(0, 50)}`, () => {
      const error = sentence(thrown, 80, host);
      assert.deepEqual([error.message, error.code, error.cause], [message, code, thrown]);
    });
});
