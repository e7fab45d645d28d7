/**
 * Page: the required content of the built module, and the differences of a configured page.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { gunzipSync } from "node:zlib";
import { loadPage } from "./page.ts";

const html = '<!doctype html><HTML lang="en"><p>hi</p></HTML>';
const whole = { html, csp: "default-src 'none'", etag: "abc" };

const moduleOf = (source: string): URL => new URL(`data:text/javascript,${encodeURIComponent(source)}`);
const built = (page: unknown): URL => moduleOf(`export const page = ${JSON.stringify(page)};`);

describe("loadPage", () => {
  it("returns the page as built, its tag quoted, and compressed", async () => {
    const { gzip = new Uint8Array(), ...page } = (await loadPage({}, built(whole))) ?? {};
    assert.deepEqual(page, { html, csp: whole.csp, etag: '"abc"' });
    assert.equal(gunzipSync(gzip).toString(), html);
  });

  it("keeps a tag that is quoted already", async () => {
    for (const etag of ['"abc"', 'W/"abc"']) assert.equal((await loadPage({}, built({ ...whole, etag })))?.etag, etag);
  });

  it("writes the settings into the page, its tag and its compressed form", async () => {
    const page = await loadPage(
      { "data-slow-ms": 250, "data-editor": undefined, "data-root": '/a "b" & <c>' },
      built({ ...whole, etag: '"abc"' }),
    );
    const configured =
      '<!doctype html><HTML data-slow-ms="250" data-root="/a &quot;b&quot; &amp; &lt;c&gt;" lang="en"><p>hi</p></HTML>';
    assert.deepEqual([page?.html, page?.csp], [configured, whole.csp]);
    assert.match(page?.etag ?? "", /^"abc-[\w-]{12}"$/);
    assert.notEqual(page?.etag, (await loadPage({ "data-slow-ms": 300 }, built(whole)))?.etag);
    assert.equal(gunzipSync(page?.gzip ?? new Uint8Array()).toString(), configured);
  });

  it("writes the application's name into the page, as a name and never as markup", async () => {
    const page = await loadPage({ "data-app": '"><script>&' }, built(whole));
    const named = '<!doctype html><HTML data-app="&quot;&gt;&lt;script&gt;&amp;" lang="en"><p>hi</p></HTML>';
    assert.equal(page?.html, named);
  });

  it("is undefined if the page is not built", async () => {
    assert.equal(await loadPage({}, new URL("./not-there/page.js", import.meta.url)), undefined);
  });

  it("is undefined if the module fails or has another content", async () => {
    const modules = [moduleOf("throw new Error('no')"), moduleOf("export const other = 1"), built(null), built("page")];
    for (const name of ["html", "csp", "etag"]) modules.push(built({ ...whole, [name]: 1 }));
    for (const module of modules) assert.equal(await loadPage({}, module), undefined, decodeURIComponent(module.href));
  });
});
