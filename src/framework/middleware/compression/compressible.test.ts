/** Unit tests of compressible.ts: media types worth compressing. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isCompressible } from "./compressible.ts";

describe("isCompressible", () => {
  test("accepts texts and formats based on text", () => {
    const types = [
      "text/html",
      "text/event-stream",
      "application/json",
      "application/problem+json",
      "image/svg+xml",
      "application/xml",
      "application/javascript",
      "application/x-javascript",
      "application/ecmascript",
      "application/ld+json",
      "application/manifest+json",
      "application/graphql",
      "application/wasm",
      "application/rtf",
      "application/sql",
      "application/toml",
      "application/yaml",
      "application/x-yaml",
      "application/x-sh",
      "application/x-httpd-php",
      "application/x-ndjson",
      "application/jsonl",
      "application/json-seq",
      "application/x-www-form-urlencoded",
      "application/xml-dtd",
      "application/tar",
      "application/postscript",
      "application/x-tar",
      "application/vnd.ms-fontobject",
      "application/vnd.ms-opentype",
      "application/x-font-ttf",
      "application/x-font-opentype",
      "font/collection",
      "font/eot",
      "font/opentype",
      "font/otf",
      "font/ttf",
      "image/bmp",
      "image/x-icon",
      "image/vnd.microsoft.icon",
      "image/vnd.adobe.photoshop",
      "image/x-ms-bmp",
      "message/rfc822",
      "model/gltf-binary",
      "model/obj",
      "application/openmetrics-text",
      "application/vnd.dart",
      "application/x-perl",
      "application/atom+xml",
      "application/x+text",
      "application/vnd.oai+yaml",
      "application/geo+json-seq",
    ];
    assert.deepEqual(
      types.filter((type) => !isCompressible(type)),
      [],
    );
  });

  test("rejects formats that are compressed already", () => {
    const types = [
      "image/png",
      "image/jpeg",
      "image/webp",
      "image/avif",
      "video/mp4",
      "audio/mpeg",
      "application/zip",
      "application/gzip",
      "application/pdf",
      "font/woff2",
      "font/woff",
      "application/octet-stream",
      "",
      "application/x+json.zip",
      "application/json.gz",
      "application/vnd.json",
      "image/text/",
      "image/x-text",
    ];
    assert.deepEqual(types.filter(isCompressible), []);
  });
});
