import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { CorsBuilder, corsPolicy, type CorsOptions } from "./cors-policy.ts";

describe("corsPolicy", () => {
  test("CORS-015: has the documented defaults, QUERY not among the methods", () => {
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
    "CORS-011: * with credentials": [{ allowCredentials: true }, /allowOrigins is "\*" together with allowCredentials/],
    "CORS-011: * for methods with credentials": [
      { allowOrigins: ["https://a.example"], allowMethods: ["*"], allowCredentials: true },
      /allowMethods is "\*" together/,
    ],
    "CORS-011: * for headers with credentials": [
      { allowOrigins: ["https://a.example"], allowHeaders: ["*"], allowCredentials: true },
      /allowHeaders is "\*" together/,
    ],
    "CORS-011: * for exposed headers with credentials": [
      { allowOrigins: ["https://a.example"], exposeHeaders: ["*"], allowCredentials: true },
      /exposeHeaders is "\*" together/,
    ],
    "* beside other origins": [{ allowOrigins: ["*", "https://a.example"] }, /stands alone/],
    "no origin": [{ allowOrigins: [] }, /at least one origin/],
    "CORS-012: an origin with a path": [{ allowOrigins: ["https://a.example/"] }, /write "https:\/\/a\.example"/],
    "CORS-012: an origin in upper case": [{ allowOrigins: ["https://A.example"] }, /write "https:\/\/a\.example"/],
    "CORS-012: an origin with its default port": [
      { allowOrigins: ["https://a.example:443"] },
      /write "https:\/\/a\.example"/,
    ],
    "CORS-012: an origin with a user": [{ allowOrigins: ["https://me@a.example"] }, /write "https:\/\/a\.example"/],
    "CORS-012: an origin without a scheme": [
      { allowOrigins: ["a.example"] },
      /exact scheme:\/\/host\[:port\] is allowed/,
    ],
    "CORS-012: an origin pattern": [
      { allowOrigins: ["https://*.example"] },
      /an exact scheme:\/\/host\[:port\] is allowed/,
    ],
    "CORS-014: a method that is no token": [{ allowMethods: ["GET, PUT"] }, /allowMethods has "GET, PUT"/],
    "CORS-014: a header that is no token": [{ allowHeaders: ["X-A\r\nX-B"] }, /allowHeaders has/],
    "CORS-014: a negative age": [{ maxAge: -1 }, /maxAge is -1; a whole number of seconds from 0 is allowed/],
    "CORS-014: half a second": [{ maxAge: 0.5 }, /maxAge is 0\.5/],
  } satisfies Record<string, [CorsOptions, RegExp]>)) {
    test(`${name} is refused`, () => assert.throws(() => corsPolicy(options), { name: "TypeError", message }));
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
