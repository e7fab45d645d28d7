/** Which media types are worth compressing. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isCompressible } from "./compressible.ts";

describe("isCompressible", () => {
  test("takes texts and formats that are texts", () => {
    const types = [
      ...["text/html", "text/event-stream", "application/json", "application/problem+json", "image/svg+xml"],
      ...["application/javascript", "application/wasm", "font/ttf", "application/yaml", "application/x-ndjson"],
    ];
    assert.deepEqual(
      types.filter((type) => !isCompressible(type)),
      [],
    );
  });

  test("leaves what is compressed by its own format", () => {
    const types = [
      ...["image/png", "image/jpeg", "image/webp", "image/avif", "video/mp4", "audio/mpeg", "application/zip"],
      ...["application/gzip", "application/pdf", "font/woff2", "font/woff", "application/octet-stream", ""],
    ];
    assert.deepEqual(types.filter(isCompressible), []);
  });
});
