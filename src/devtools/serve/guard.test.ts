/**
 * Guard: which requests it accepts, as tables and as a property.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { isLocalHost, isLoopback } from "../record/services/this-machine.ts";
import { judge, type GuardRules, type Visit } from "./guard.ts";

const runs = Number(process.env["FC_RUNS"] ?? 5_000);
const rules: GuardRules = { allowRemote: false, allowedHosts: [] };
const visit = (given: Partial<Visit> = {}): Visit => ({
  peer: "127.0.0.1",
  target: "/framework/dev",
  hosts: ["localhost:8080"],
  origins: [],
  fetchSites: [],
  fetchModes: [],
  fetchDests: [],
  headerNames: ["host"],
  httpVersion: "1.1",
  isPage: false,
  isTrusted: true,
  ...given,
});
const status = (given: Partial<Visit>, with_: Partial<GuardRules> = {}): number => {
  const verdict = judge(visit(given), { ...rules, ...with_ });
  return verdict.allowed ? 200 : verdict.status;
};

const hosts: Readonly<Record<"local" | "foreign", readonly string[]>> = {
  local: [
    "localhost",
    "LOCALHOST",
    "localhost:3000",
    "localhost.",
    "localhost.:80",
    "app.localhost",
    "a.b.localhost:1",
    "a-b_c.localhost",
    `${"a".repeat(63)}.localhost`,
    `${"a.".repeat(123)}localhost:12345`,
    "127.0.0.1",
    "127.0.0.1:65535",
    "127.9.9.9",
    "[::1]",
    "[::1]:8080",
  ],
  foreign: [
    "",
    " ",
    "evil.test",
    "localhost.evil.test",
    "evillocalhost",
    ".localhost",
    "a..localhost",
    "localhost..",
    "-a.localhost",
    "a-.localhost",
    `${"a".repeat(64)}.localhost`,
    `${"a.".repeat(124)}localhost:1234`,
    "0.0.0.0",
    "127.1",
    "127.0.1",
    "127.0.0.01",
    "2130706433",
    "0x7f.0.0.1",
    "0177.0.0.1",
    "127.0.0.1.evil.test",
    "127.0.0.256",
    "localhost:1:2",
    "localhost:",
    "localhost:x",
    "localhost:123456",
    "ada@localhost",
    "evil.test@localhost",
    "localhost/evil",
    "localhost#",
    "localhost,evil.test",
    "[::1",
    "::1",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::1]x",
    "lоcalhost",
    "localhost\u0000",
    "10.0.0.1",
    "[::1%lo]",
  ],
};

describe("isLocalHost", () => {
  for (const host of hosts.local) it(`accepts ${JSON.stringify(host)}`, () => assert.equal(isLocalHost(host), true));
  for (const host of hosts.foreign) it(`rejects ${JSON.stringify(host)}`, () => assert.equal(isLocalHost(host), false));
});

describe("isLoopback", () => {
  it("recognises this machine's addresses in every notation", () => {
    assert.deepEqual(
      ["127.0.0.1", "127.255.0.9", "::1", "::ffff:127.0.0.1", "0:0:0:0:0:0:0:1"].map(isLoopback),
      Array(5).fill(true),
    );
    assert.deepEqual(
      [undefined, "", "localhost", "10.0.0.1", "::ffff:10.0.0.1", "::", "128.0.0.1", "1270.0.0.1"].map(isLoopback),
      Array(8).fill(false),
    );
  });
});

describe("judge", () => {
  const cases: readonly (readonly [fact: string, given: Partial<Visit>, status: number])[] = [
    ["lets a local client in", {}, 200],
    ["hides from another machine, whatever its Host", { peer: "10.0.0.2" }, 404],
    ["hides where the platform does not tell the peer", { peer: undefined }, 404],
    ["rejects two Hosts", { hosts: ["localhost", "localhost"] }, 403],
    ["rejects a missing Host", { hosts: [] }, 403],
    ["rejects an absolute target of another authority", { target: "http://evil.test/framework/dev" }, 403],
    ["takes an absolute target of the same authority", { target: "http://localhost:8080/framework/dev" }, 200],
    ["rejects HTTP/1.0, as proxies send it", { httpVersion: "1.0" }, 403],
    ["takes a target without an authority", { target: "*" }, 200],
    ["takes an authority within a target for none", { target: "*a://evil.test" }, 200],
    ["takes HTTP/2", { httpVersion: "2" }, 200],
    ["rejects a client that has not shown the token", { isTrusted: false }, 403],
    ["hides from another machine that shows it", { isTrusted: true, peer: "10.0.0.2" }, 404],
    ["takes its own Origin", { origins: ["http://localhost:8080"] }, 200],
    ["takes its own Origin behind TLS, in any case", { origins: ["HTTPS://LocalHost:8080"] }, 200],
    ["rejects another port's Origin", { origins: ["http://localhost:8081"] }, 403],
    ["rejects the Origin null", { origins: ["null"] }, 403],
    ["rejects an Origin that begins alike", { origins: ["http://localhost:8080.evil.test"] }, 403],
    ["rejects an Origin with userinfo", { origins: ["http://localhost:8080@evil.test"] }, 403],
    ["rejects two Origins", { origins: ["http://localhost:8080", "http://localhost:8080"] }, 403],
    ["takes Sec-Fetch-Site same-origin", { fetchSites: ["same-origin"] }, 200],
    ["takes Sec-Fetch-Site none", { fetchSites: ["none"] }, 200],
    ["rejects two Sec-Fetch-Site", { fetchSites: ["same-origin", "same-origin"] }, 403],
    ["rejects Sec-Fetch-Site same-site", { fetchSites: ["same-site"] }, 403],
    ["rejects Sec-Fetch-Site cross-site", { fetchSites: ["cross-site"] }, 403],
    [
      "rejects Sec-Fetch-Site nonsense",
      { fetchSites: ["x"], isPage: true, fetchModes: ["navigate"], fetchDests: ["document"] },
      403,
    ],
    [
      "lets a link lead to the page",
      { fetchSites: ["cross-site"], isPage: true, fetchModes: ["navigate"], fetchDests: ["document"] },
      200,
    ],
    [
      "lets a link of a neighbour lead to the page",
      { fetchSites: ["same-site"], isPage: true, fetchModes: ["navigate"], fetchDests: ["document"] },
      200,
    ],
    [
      "lets no script load the page",
      { fetchSites: ["cross-site"], isPage: true, fetchModes: ["no-cors"], fetchDests: ["document"] },
      403,
    ],
    [
      "lets no frame show the page",
      { fetchSites: ["cross-site"], isPage: true, fetchModes: ["navigate"], fetchDests: ["iframe"] },
      403,
    ],
    [
      "lets no link lead to an endpoint",
      { fetchSites: ["cross-site"], fetchModes: ["navigate"], fetchDests: ["document"] },
      403,
    ],
    ...["not-via", "viable", "forwarded2"].map((name) => [`takes ${name}`, { headerNames: [name] }, 200] as const),
    ...[
      "forwarded",
      "x-forwarded-for",
      "x-forwarded-host",
      "x-forwarded-port",
      "x-forwarded-proto",
      "x-forwarded",
      "via",
      "x-real-ip",
      "cf-connecting-ip",
      "true-client-ip",
    ].map((name) => [`rejects ${name}`, { headerNames: [name] }, 403] as const),
  ];
  for (const [fact, given, expected] of cases) it(fact, () => assert.equal(status(given), expected));

  it("allowed hosts add Hosts and lift no other check", () => {
    const allowedHosts = ["app.test:8080", "dev.test"];
    const named = { hosts: ["app.test:8080"] };
    assert.equal(status(named), 403);
    const visits: readonly Partial<Visit>[] = [
      ...["app.test:8080", "APP.test:8080", "dev.test", "dev.test:1", "localhost"].map((host) => ({ hosts: [host] })),
      ...["app.test", "app.test:81", "x.dev.test", "dev.test.evil.test"].map((host) => ({ hosts: [host] })),
      { ...named, peer: "10.0.0.2" },
      { ...named, headerNames: ["via"] },
      { ...named, target: "http://dev.test/framework/dev" },
      { ...named, origins: ["http://dev.test"] },
      { ...named, fetchSites: ["cross-site"] },
      { hosts: ["app.test:8080", "app.test:8080"] },
    ];
    assert.deepEqual(
      visits.map((given) => status(given, { allowedHosts })),
      [200, 200, 200, 200, 200, 403, 403, 403, 403, 404, 403, 403, 403, 403, 403],
    );
  });

  it("allowRemote lifts only the checks of the address and of forwarding headers", () => {
    const remote = { peer: "10.0.0.2", headerNames: ["via"] };
    assert.deepEqual([status(remote), status({ headerNames: ["via"] })], [404, 403]);
    const visits: readonly Partial<Visit>[] = [
      remote,
      { headerNames: ["x-forwarded-for"] },
      { ...remote, hosts: ["app.test:8080"] },
      { ...remote, hosts: [] },
      { ...remote, target: "http://evil.test/framework/dev" },
      { ...remote, origins: ["http://evil.test"] },
      { ...remote, fetchSites: ["cross-site"] },
    ];
    assert.deepEqual(
      visits.map((given) => status(given, { allowRemote: true })),
      [200, 200, 404, 404, 404, 404, 404],
    );
  });

  it("GUARD-009: gives a client of this machine the reason and the remedy, and a remote one nothing", () => {
    const host =
      'the Host is not local. Devtools.create({ allowedHosts: ["app.test:8080"] }) or FRAMEWORK_DEVTOOLS_ALLOWED_HOSTS names further hosts.';
    const reasons: readonly (readonly [given: Partial<Visit>, reason: string])[] = [
      [
        { headerNames: ["host", "via"] },
        "the request came through a proxy or tunnel (it carries a forwarding header). Devtools.create({ allowRemote: true }) serves such requests.",
      ],
      [
        { httpVersion: "1.0" },
        "the request is HTTP/1.0, as a proxy beside the application sends it. Ask with HTTP/1.1.",
      ],
      [{ hosts: [] }, "the request must carry exactly one Host header."],
      [{ hosts: ["evil.test"] }, host],
      [{ target: "http://evil.test/" }, host],
      [
        { origins: ["http://evil.test"] },
        "the Origin header names another origin. Devtools respond only to the page they serve; no option changes this.",
      ],
      [
        { fetchSites: ["cross-site"] },
        "the Sec-Fetch-Site header says that another site sent the request. Devtools respond only to the page they serve; no option changes this.",
      ],
      [
        { isTrusted: false },
        "the token is missing or another one. Open the link that the application printed when it started, or send the header X-Framework-Dev-Token.",
      ],
    ];
    for (const [given, reason] of reasons) {
      assert.deepEqual(judge(visit(given), rules), { allowed: false, status: 403, reason });
      const remote = judge(visit({ ...given, peer: "10.0.0.2" }), { ...rules, allowRemote: !reason.includes("proxy") });
      assert.deepEqual(remote, { allowed: false, status: 404, reason: "" });
    }
  });

  it("never throws and accepts no foreign Host, for any bytes", () => {
    const bytes = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.webAuthority(),
      fc.ipV4(),
      fc.ipV6(),
      fc.constantFrom(...hosts.foreign, ...hosts.local),
    );
    const list = fc.array(bytes, { maxLength: 3 });
    fc.assert(
      fc.property(bytes, bytes, list, list, list, (peer, target, hostValues, origins, sites) => {
        const verdict = judge(
          visit({ peer, target, hosts: hostValues, origins, fetchSites: sites, headerNames: origins }),
          rules,
        );
        if (verdict.allowed) assert.ok(hostValues.length === 1 && isLocalHost(hostValues[0] ?? "") && isLoopback(peer));
      }),
      { numRuns: runs },
    );
  });
});
