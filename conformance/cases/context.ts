/** The context of a handler. Spec: context.md (CTX). */
import { isIP } from "node:net";
import { proves } from "../kit/case.ts";

/** The cases of this chapter that are not vectors. */
export const context = [
  proves("CTX-011", "ignores proxy headers", async (probe) => {
    const path = `/users/${probe.token()}`;
    const forged = "203.0.113.9";
    await probe.send("GET", path);
    await probe.send("GET", path, { headers: { "x-forwarded-for": forged, forwarded: `for=${forged}` } });
    const lines = await probe.eventually("two log lines", async () => {
      const found = await probe.logs((line) => line.path === path);
      return found.length === 2 ? found : undefined;
    });
    const [plain, proxied] = lines.map(({ remoteAddress }) => remoteAddress);
    probe.equal("the address with proxy headers", proxied, plain);
  }),

  proves("CTX-024", "writes the address of an IPv4 client as IPv4", async (probe) => {
    const path = `/users/${probe.token()}`;
    await probe.send("GET", path);
    const line = await probe.logOf((found) => found.path === path);
    const address = line.remoteAddress ?? "";
    const isMapped = /^(?:::|(?:0+:){5})ffff:/i.test(address);
    probe.equal("whether there is an address, and one within IPv6", [isIP(address) > 0, isMapped], [true, false]);
  }),
];
