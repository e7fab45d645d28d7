import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { CorsBuilder, corsPolicy, type CorsOptions } from "./cors-policy.ts";

describe("corsPolicy", () => {
  test("has the documented defaults, without QUERY among the methods", () => {
    assert.deepEqual(corsPolicy({}), {
      origins: undefined,
      methods: "GET, HEAD, POST, PUT, PATCH, DELETE",
      headers: "Content-Type, Authorization",
      expose: "",
      credentials: false,
      maxAge: "3600",
    });
  });

  test("accepts exact origins, also null and app schemes when listed", () => {
    const allowOrigins = [
      "https://app.example",
      "http://localhost:3000",
      "http://[::1]:8080",
      "null",
      "capacitor://localhost",
      "capacitor://localhost:8100",
      "moz-extension://0b1c",
      "https://xn--mnchen-3ya.example",
      "https://a_b.example:8443",
    ];
    assert.deepEqual(corsPolicy({ allowOrigins }).origins, new Set(allowOrigins));
  });

  test("accepts every method and header that a page can use", () => {
    const { methods, headers, expose } = corsPolicy({
      allowMethods: ["GET", "PATCH", "QUERY", "PROPFIND", "M-SEARCH"],
      allowHeaders: ["authorization", "X-Secret", "Proxied", "User-Agent", "DNT-Like", "X-HTTP-Method-Override"],
      exposeHeaders: ["ETag", "Set-Cookies"],
    });
    assert.deepEqual(
      [methods, headers, expose],
      [
        "GET, PATCH, QUERY, PROPFIND, M-SEARCH",
        "authorization, X-Secret, Proxied, User-Agent, DNT-Like, X-HTTP-Method-Override",
        "ETag, Set-Cookies",
      ],
    );
  });

  const useless: readonly (readonly [string, string, RegExp])[] = [
    ...["CONNECT", "TRACE", "TRACK", "trace"].map((name): [string, string, RegExp] => [
      "allowMethods",
      name,
      /no browser lets a page send; leave it out$/,
    ]),
    ...["put", "query", "Patch", "post", "propfind"].map((name): [string, string, RegExp] => [
      "allowMethods",
      name,
      new RegExp(`are compared by case; write "${name.toUpperCase()}"$`),
    ]),
    ...["Host", "Sec-Fetch-Site", "sec-x", "Proxy-Authorization", "Origin", "Content-Length", "Set-Cookie", "Via"].map(
      (name): [string, string, RegExp] => ["allowHeaders", name, /no browser lets a page set; leave it out$/],
    ),
    ...["Cookie", "cookie2"].map((name): [string, string, RegExp] => [
      "allowHeaders",
      name,
      /leave it out: allowCredentials\(\) lets cookies through$/,
    ]),
    ...["Set-Cookie", "set-cookie2"].map((name): [string, string, RegExp] => [
      "exposeHeaders",
      name,
      /no browser lets a page read/,
    ]),
  ];
  for (const [option, name, message] of useless)
    test(`${option} with ${name} is rejected`, () => {
      assert.throws(() => corsPolicy({ [option]: ["GET", name] }), { name: "TypeError", message });
      assert.throws(() => corsPolicy({ [option]: [name] }), new RegExp(`CorsMiddleware: ${option} has "${name}", `));
    });

  for (const [name, [options, message]] of Object.entries({
    ...Object.fromEntries(
      [
        "https://a.example:99999",
        "https://",
        "https://a b.example",
        "https://[::1",
        "//a.example",
        "capacitor://",
        "capacitor://localhost:99999",
        "",
        " ",
        "https://a.example, https://b.example",
        "file:///etc",
        "data:text/html,x",
      ].map((origin) => [
        `the malformed origin ${JSON.stringify(origin)}`,
        [{ allowOrigins: [origin] }, /an exact scheme:\/\/host\[:port\] is allowed, or a function that decides$/],
      ]),
    ),
    ...Object.fromEntries(
      [
        ["capacitor://localhost/", "capacitor://localhost"],
        ["capacitor://localhost:", "capacitor://localhost"],
        ["CAPACITOR://localhost", "capacitor://localhost"],
        ["capacitor://me@localhost", "capacitor://localhost"],
        ["https:\\\\a.example", "https://a.example"],
        ["https://a.example\n", "https://a.example"],
        ["http://1.2.3", "http://1.2.0.3"],
        ["https://münchen.example", "https://xn--mnchen-3ya.example"],
        ["http://a.example:080", "http://a.example"],
      ].map(([origin = "", hint = ""]) => [
        JSON.stringify(origin),
        [{ allowOrigins: [origin] }, new RegExp(`; write "${hint.replaceAll(".", "\\.")}"$`)],
      ]),
    ),
    "* with credentials": [{ allowCredentials: true }, /allowOrigins is "\*" together with allowCredentials/],
    "* for methods with credentials": [
      { allowOrigins: ["https://a.example"], allowMethods: ["*"], allowCredentials: true },
      /allowMethods is "\*" together/,
    ],
    "* for headers with credentials": [
      { allowOrigins: ["https://a.example"], allowHeaders: ["*"], allowCredentials: true },
      /allowHeaders is "\*" together/,
    ],
    "* for exposed headers with credentials": [
      { allowOrigins: ["https://a.example"], exposeHeaders: ["*"], allowCredentials: true },
      /exposeHeaders is "\*" together/,
    ],
    "* beside other origins": [{ allowOrigins: ["*", "https://a.example"] }, /stands alone/],
    "no origin": [{ allowOrigins: [] }, /at least one origin/],
    "an origin with a path": [{ allowOrigins: ["https://a.example/"] }, /write "https:\/\/a\.example"/],
    "an origin in upper case": [{ allowOrigins: ["https://A.example"] }, /write "https:\/\/a\.example"/],
    "an origin with its default port": [{ allowOrigins: ["https://a.example:443"] }, /write "https:\/\/a\.example"/],
    "an origin with a user": [{ allowOrigins: ["https://me@a.example"] }, /write "https:\/\/a\.example"/],
    "an origin without a scheme": [
      { allowOrigins: ["a.example"] },
      /exact scheme:\/\/host\[:port\] is allowed, or a function/,
    ],
    "an origin pattern": [{ allowOrigins: ["https://*.example"] }, /an exact scheme:\/\/host\[:port\] is allowed/],
    "a method that is not a token": [{ allowMethods: ["GET, PUT"] }, /allowMethods has "GET, PUT"/],
    "a header that is not a token": [{ allowHeaders: ["X-A\r\nX-B"] }, /allowHeaders has/],
    "a negative age": [{ maxAge: -1 }, /maxAge is -1; a whole number of seconds from 0 is allowed/],
    "half a second": [{ maxAge: 0.5 }, /maxAge is 0\.5/],
  } as Record<string, [CorsOptions, RegExp]>)) {
    test(`${name} is rejected`, () => assert.throws(() => corsPolicy(options), { name: "TypeError", message }));
  }
});

/** Whole messages for options that would mean something else than intended, such as a text instead of a list or a boolean. */
const misread: readonly (readonly [options: object, sentence: string])[] = [
  [{ allowCredentials: "false" }, 'allowCredentials is "false"; true and false are allowed'],
  [{ allowOrigins: "https://a.example" }, 'allowOrigins is "https://a.example"; a list of texts is allowed'],
  [{ allowOrigins: ["https://a.example", 7] }, 'allowOrigins is ["https://a.example",7]; a list of texts is allowed'],
  [{ allowMethods: "GET" }, 'allowMethods is "GET"; a list of texts is allowed'],
  [{ allowHeaders: "*" }, 'allowHeaders is "*"; a list of texts is allowed'],
  [{ exposeHeaders: [7] }, "exposeHeaders is [7]; a list of texts is allowed"],
  [{ allowOrigins: [] }, 'allowOrigins needs at least one origin, or "*"'],
  [
    { allowOrigins: ["*", "https://a.example"] },
    'allowOrigins has "*" beside other origins; "*" allows all, so it stands alone',
  ],
  [
    { allowOrigins: ["a.example"] },
    'allowOrigins has "a.example", which no browser sends; an exact scheme://host[:port] is allowed, or a function that decides',
  ],
  [{ allowMethods: ["GET, PUT"] }, 'allowMethods has "GET, PUT"; a token such as GET or X-Name is allowed'],
  [{ allowMethods: ["put"] }, 'allowMethods has "put", and methods are compared by case; write "PUT"'],
  [{ allowMethods: ["trace"] }, 'allowMethods has "trace", which no browser lets a page send; leave it out'],
  [
    { exposeHeaders: ["Set-Cookie"] },
    'exposeHeaders has "Set-Cookie", which no browser lets a page read; leave it out: cookies are set without it',
  ],
  [
    { allowCredentials: true },
    'allowOrigins is "*" together with allowCredentials; browsers reject that: list them by name',
  ],
  [{ maxAge: 2 ** 53 }, "maxAge is 9007199254740992; a whole number of seconds from 0 is allowed"],
];

describe("an option of CorsMiddleware", () => {
  for (const [options, sentence] of misread)
    test(`is rejected: ${sentence.slice(0, 60)}`, () => {
      const message = `CorsMiddleware: ${sentence}`;
      assert.throws(() => corsPolicy(options), { name: "TypeError", message });
    });

  test("may be * for methods, headers and exposed headers, without credentials", () => {
    const { methods, headers, expose } = corsPolicy({
      allowMethods: ["*"],
      allowHeaders: ["*", "Authorization"],
      exposeHeaders: ["*"],
    });
    assert.deepEqual([methods, headers, expose], ["*", "*, Authorization", "*"]);
    assert.equal(corsPolicy({ maxAge: 0 }).maxAge, "0");
  });

  test("names each header that no page can set", () => {
    const all =
      "accept-charset accept-encoding access-control-request-headers access-control-request-method connection " +
      "content-length cookie cookie2 date dnt expect host keep-alive origin referer set-cookie te trailer " +
      "transfer-encoding upgrade via";
    for (const name of all.split(" "))
      assert.throws(() => corsPolicy({ allowHeaders: [name] }), /no browser lets a page set/, name);
  });
});

describe("CorsBuilder", () => {
  test("collects options, and the last call of a method wins", () => {
    const options = new CorsBuilder((collected: CorsOptions) => collected)
      .allowOrigins("https://old.example")
      .allowOrigins("https://a.example")
      .allowMethods("GET", "QUERY")
      .allowHeaders("X-A")
      .exposeHeaders("X-B")
      .allowCredentials()
      .maxAge(0)
      .build();
    assert.deepEqual(options, {
      allowOrigins: ["https://a.example"],
      allowMethods: ["GET", "QUERY"],
      allowHeaders: ["X-A"],
      exposeHeaders: ["X-B"],
      allowCredentials: true,
      maxAge: 0,
    });
  });

  test("accepts one function for the origins", () => {
    const check = (): boolean => true;
    const collect = new CorsBuilder((collected: CorsOptions) => collected);
    assert.equal(collect.allowOrigins("https://old.example").allowOrigins(check).build().allowOrigins, check);
    assert.equal(corsPolicy({ allowOrigins: check, allowCredentials: true }).origins, check);
  });
});
