/**
 * "Articles" of Conduit's specification, one article at a time: POST /articles; GET, PUT and DELETE /articles/{slug}.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { anonymous, failed, type OpenConduit, openConduit, start, type TestUser } from "../testing.ts";

let conduit: OpenConduit;
let ann: TestUser;
let bob: TestUser;

before(async () => {
  conduit = await openConduit();
  [ann, bob] = [await conduit.user("ann"), await conduit.user("bob")];
});
after(() => conduit.close());

const dragon = {
  title: "How to train your dragon",
  description: "Ever wonder how?",
  body: "You have to believe",
  tagList: ["reactjs", "angularjs", "dragons", "reactjs"],
};
const now = start.toISOString();
const whole = {
  slug: "how-to-train-your-dragon",
  title: dragon.title,
  description: dragon.description,
  tagList: ["reactjs", "angularjs", "dragons"],
  createdAt: now,
  updatedAt: now,
  favorited: false,
  favoritesCount: 0,
  author: { username: "ann", bio: null, image: null, following: false },
  body: dragon.body,
};
const unknown = failed(404, "article", "not found");

describe("POST /articles", () => {
  it("publishes an article, 201, without duplicate tags, in the author's order", async () => {
    assert.deepEqual(await ann.call("POST", "/articles", { article: dragon }), {
      status: 201,
      body: { article: whole },
    });
  });

  it("publishes a second one with that title under another slug", async () => {
    const { status, body } = await bob.call("POST", "/articles", { article: dragon });
    const { slug } = (body as { readonly article: { readonly slug: string } }).article;
    assert.deepEqual([status, slug], [201, "how-to-train-your-dragon-2"]);
  });

  it("accepts an article without tags", async () => {
    const article = { ...dragon, title: "No tags", tagList: undefined };
    const { status, body } = await ann.call("POST", "/articles", { article });
    const { tagList } = (body as { readonly article: { readonly tagList: unknown } }).article;
    assert.deepEqual([status, tagList], [201, []]);
  });

  it("responds with 422 and names every missing field", async () => {
    const response = await ann.call("POST", "/articles", { article: { title: " ", tagList: "dragons" } });
    const blank = ["can't be blank"];
    const errors = { title: blank, description: blank, body: blank, tagList: ["is no list"] };
    assert.deepEqual(response, { status: 422, body: { errors } });
  });

  it("responds with 401 without a token", async () => {
    assert.deepEqual(await conduit.call("POST", "/articles", { article: {} }), anonymous);
  });
});

describe("GET /articles/{slug}", () => {
  it("sends an article even without a token", async () => {
    assert.deepEqual(await conduit.call("GET", `/articles/${whole.slug}`), { status: 200, body: { article: whole } });
  });

  it("shows a reader that they follow the author", async () => {
    await bob.call("POST", "/profiles/ann/follow");
    const { body } = await bob.call("GET", `/articles/${whole.slug}`);
    assert.deepEqual(body, { article: { ...whole, author: { ...whole.author, following: true } } });
  });

  it("responds with 404 to an unknown slug", async () => {
    assert.deepEqual(await conduit.call("GET", "/articles/nothing"), unknown);
  });
});

describe("PUT /articles/{slug}", () => {
  it("changes the given fields; a new title gives a new slug", async () => {
    await ann.call("POST", "/articles", { article: { ...dragon, title: "First" } });
    conduit.clock.time = new Date(start.getTime() + 60_000);
    const body = await ann.call("PUT", "/articles/first", { article: { body: "Better" } });
    const title = await ann.call("PUT", "/articles/first", { article: { title: "Second" } });
    conduit.clock.time = start;
    const changed = { ...whole, slug: "first", title: "First", body: "Better", updatedAt: "2026-11-02T10:01:00.000Z" };
    assert.deepEqual(body, { status: 200, body: { article: changed } });
    assert.deepEqual(title, { status: 200, body: { article: { ...changed, slug: "second", title: "Second" } } });
    assert.deepEqual(await conduit.call("GET", "/articles/first"), unknown);
  });

  it("keeps the slug if the new title makes the same one", async () => {
    const { body } = await ann.call("PUT", "/articles/second", { article: { title: "Second!" } });
    const { slug, title } = (body as { readonly article: { readonly slug: string; readonly title: string } }).article;
    assert.deepEqual([slug, title], ["second", "Second!"]);
  });

  it("keeps the tags unless they are given, and removes them all with an empty list", async () => {
    await ann.call("POST", "/articles", { article: { ...dragon, title: "Tagged", tagList: ["b", "a"] } });
    const tagsAfter = async (article: object): Promise<unknown> => {
      const { body } = await ann.call("PUT", "/articles/tagged", { article });
      return (body as { readonly article: { readonly tagList: unknown } }).article.tagList;
    };
    const changes = [{ body: "x" }, { tagList: ["c", "c"] }, { tagList: [] }, { body: "y" }];
    const seen: unknown[] = [];
    for (const change of changes) seen.push(await tagsAfter(change));
    assert.deepEqual(seen, [["b", "a"], ["c"], [], []]);
  });

  it("responds with 403 to a change of another user's article", async () => {
    const response = await bob.call("PUT", `/articles/${whole.slug}`, { article: { body: "mine" } });
    assert.deepEqual(response, failed(403, "article", "forbidden"));
  });

  it("responds with 404, 401 and 422", async () => {
    const article = { body: "x" };
    assert.deepEqual(await ann.call("PUT", "/articles/nothing", { article }), unknown);
    assert.deepEqual(await conduit.call("PUT", `/articles/${whole.slug}`, { article }), anonymous);
    const empty = await ann.call("PUT", `/articles/${whole.slug}`, { article: {} });
    assert.deepEqual(empty, failed(422, "article", "at least one field is required"));
    const noTags = await ann.call("PUT", `/articles/${whole.slug}`, { article: { tagList: null } });
    assert.deepEqual(noTags, failed(422, "tagList", "is no list"));
  });
});

describe("DELETE /articles/{slug}", () => {
  it("removes an article with its comments and favourites, 204", async () => {
    await ann.call("POST", "/articles", { article: { ...dragon, title: "Short lived" } });
    await bob.call("POST", "/articles/short-lived/favorite");
    await bob.call("POST", "/articles/short-lived/comments", { comment: { body: "Nice" } });
    assert.deepEqual(await ann.call("DELETE", "/articles/short-lived"), { status: 204, body: undefined });
    assert.deepEqual(await conduit.call("GET", "/articles/short-lived"), unknown);
  });

  it("responds with 403 to another user's article, 404 and 401", async () => {
    const forbidden = await bob.call("DELETE", `/articles/${whole.slug}`);
    assert.deepEqual(forbidden, failed(403, "article", "forbidden"));
    assert.deepEqual(await ann.call("DELETE", "/articles/nothing"), unknown);
    assert.deepEqual(await conduit.call("DELETE", `/articles/${whole.slug}`), anonymous);
  });
});
