/** What a handler knows of a request. Spec: context.md (CTX). */
import { proves } from "../kit/case.ts";

/** The cases of this chapter. */
export const context = [
  proves("CTX-011", "ignores proxy headers", async (probe) => {
    const path = `/users/${probe.token()}`;
    const forged = "203.0.113.9";
    await probe.send("GET", path);
    await probe.send("GET", path, { headers: { "x-forwarded-for": forged, forwarded: `for=${forged}` } });
    const lines = await probe.eventually("two log lines", async () => {
      const found = (await probe.evidence()).logs.filter((line) => line.path === path);
      return found.length === 2 ? found : undefined;
    });
    const [plain, proxied] = lines.map(({ remoteAddress }) => remoteAddress);
    probe.equal("the address with proxy headers", proxied, plain);
  }),
];
