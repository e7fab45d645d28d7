/**
 * Compressible types: the media types with bodies that become much smaller.
 *
 *   text/… · …+json, …+xml, …+text, …+yaml · the list below ──▶ compressed
 *   images, sound, film, archives, fonts as woff ──▶ compressed already, in their own format
 *
 * The list has the types that mime-db marks as compressible and that servers send in practice.
 *
 * Spec: spec/compression.md
 */

const listed: ReadonlySet<string> = new Set([
  "application/json",
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
  "application/postscript",
  "application/tar",
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
]);

const suffixed = /\+(?:json|xml|text|yaml|json-seq)$/;

/** Is a body of that type worth compressing? @param mediaType `type/subtype` in lower case */
export const isCompressible = (mediaType: string): boolean =>
  mediaType.startsWith("text/") || listed.has(mediaType) || suffixed.test(mediaType);
