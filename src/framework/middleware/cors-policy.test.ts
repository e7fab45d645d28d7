import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { CorsBuilder, corsPolicy, type CorsOptions } from "./cors-policy.ts";

describe("corsPolicy", () => {
  test("has the documented defaults, QUERY not among the methods", () => {
    assert.deepEqual(corsPolicy({}), {
      origins: undefined,
      methods: "GET, HEAD, POST, PUT, PATCH, DELETE",
      headers: "Content-Type, Authorization",
      expose: "",
      credentials: false,
      maxAge: "3600",
    });
  });

  test("takes exact origins, null and app schemes among them when listed", () => {
    const allowOrigins = [
      "https://app.example",
      "http://localhost:3000",
      "http://[::1]:8080",
      "null",
      "capacitor://localhost",
    ];
    assert.deepEqual(corsPolicy({ allowOrigins }).origins, new Set(allowOrigins));
  });

  for (const [name, [options, message]] of Object.entries({
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
    "an origin without a scheme": [{ allowOrigins: ["a.example"] }, /exact scheme:\/\/host\[:port\] is allowed/],
    "an origin pattern": [{ allowOrigins: ["https://*.example"] }, /an exact scheme:\/\/host\[:port\] is allowed/],
    "a method that is no token": [{ allowMethods: ["GET, PUT"] }, /allowMethods has "GET, PUT"/],
    "a header that is no token": [{ allowHeaders: ["X-A\r\nX-B"] }, /allowHeaders has/],
    "a negative age": [{ maxAge: -1 }, /maxAge is -1; a whole number of seconds from 0 is allowed/],
    "half a second": [{ maxAge: 0.5 }, /maxAge is 0\.5/],
  } satisfies Record<string, [CorsOptions, RegExp]>)) {
    test(`refuses ${name}`, () => assert.throws(() => corsPolicy(options), { name: "TypeError", message }));
  }
});

describe("CorsBuilder", () => {
  test("collects options, the last call of a method winning", () => {
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
});
