/** Unit tests of accept-encoding.ts: the coding of a client's response. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { preferredCoding } from "./accept-encoding.ts";

const offered = ["br", "zstd", "gzip"] as const;
const chosen = (fields: readonly (string | undefined)[]): readonly (string | undefined)[] =>
  fields.map((field) => preferredCoding(field, offered));

describe("preferredCoding", () => {
  test("uses the highest weight, and of equal ones the server's favourite", () => {
    assert.deepEqual(
      chosen([
        "gzip, br",
        "gzip;q=0.9, br;q=0.8",
        "br;q=0.001, gzip;q=0.002",
        "gzip, deflate, br, zstd",
        "x-gzip",
        "GZIP",
        "identity, gzip",
      ]),
      ["br", "gzip", "gzip", "br", "gzip", "gzip", "gzip"],
    );
    assert.equal(preferredCoding("gzip, br, zstd", ["gzip", "br"]), "gzip");
  });

  test("counts `*` as every unnamed coding", () => {
    assert.deepEqual(chosen(["*", "br;q=0, *", "*;q=0.5, gzip", "*;q=0", "identity, *;q=0", "br;q=2, *"]), [
      "br",
      "zstd",
      "gzip",
      undefined,
      "identity",
      "br",
    ]);
  });

  test("sends plain bytes to a client without the field, without a supported coding, or with a preference for them", () => {
    assert.deepEqual(
      chosen([undefined, "", "deflate", "gzip;q=0, br;q=0, zstd;q=0", "identity, gzip;q=0.5", "identity;q=0.5, gzip"]),
      ["identity", "identity", "identity", "identity", "identity", "gzip"],
    );
  });

  test("has nothing to send when `identity` and all offered codings are rejected", () => {
    assert.deepEqual(chosen(["identity;q=0", "deflate, identity;q=0", "identity;q=0, gzip", "*;q=0, gzip;q=0.1"]), [
      undefined,
      undefined,
      "gzip",
      "gzip",
    ]);
  });

  test("leaves out malformed members", () => {
    assert.deepEqual(
      chosen([
        "br;q=2, gzip",
        "br;q=11, gzip",
        "br;q=0.1234, gzip;q=0.001",
        "br;xq=1, gzip;q=0.1",
        "br;q=0.1234, gzip",
        "br;x=1, gzip",
        "br;q=1;q=1, gzip",
        ";, ,gzip",
        "br; q=1 , gzip;q=0.1",
      ]),
      ["gzip", "gzip", "gzip", "gzip", "gzip", "gzip", "gzip", "gzip", "br"],
    );
  });
});
