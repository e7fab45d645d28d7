/**
 * Lists of Conduit's specification: GET /articles with its filters, GET /articles/feed, GET /tags;
 * and how favourites change them: POST and DELETE /articles/{slug}/favorite.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { anonymous, type Call, failed, type OpenConduit, openConduit, start, type TestUser } from "../testing.ts";

let conduit: OpenConduit;
let ann: TestUser;
let bob: TestUser;

/** Five articles, a minute apart: a1 (tags x, y), a2 (x), a3 (no tag) by ann; b1 (z), b2 (x) by bob. */
before(async () => {
  conduit = await openConduit();
  [ann, bob] = [await conduit.user("ann"), await conduit.user("bob")];
  const articles = [
    [ann, "a1", ["x", "y"]],
    [ann, "a2", ["x"]],
    [bob, "b1", ["z"]],
    [ann, "a3", []],
    [bob, "b2", ["x"]],
  ] as const;
  for (const [index, [author, title, tagList]] of articles.entries()) {
    conduit.clock.time = new Date(start.getTime() + index * 60_000);
    await author.call("POST", "/articles", { article: { title, description: "d", body: "b", tagList } });
  }
});
after(() => conduit.close());

interface List {
  readonly articles: readonly { readonly slug: string }[];
  readonly articlesCount: number;
}

/** The slugs and the count of a list, e.g. `b2 a3 of 5`. */
async function list(call: Call, path: string): Promise<string> {
  const { body } = await call("GET", path);
  const { articles, articlesCount } = body as List;
  return `${articles.map(({ slug }) => slug).join(" ")} of ${articlesCount}`;
}

describe("GET /articles", () => {
  it("sends summaries without their bodies", async () => {
    const { status, body } = await conduit.call("GET", "/articles?limit=1");
    assert.equal(status, 200);
    const time = "2026-11-02T10:04:00.000Z";
    const summary = { slug: "b2", title: "b2", description: "d", tagList: ["x"], createdAt: time, updatedAt: time };
    const author = { username: "bob", bio: null, image: null, following: false };
    assert.deepEqual(body, {
      articles: [{ ...summary, favorited: false, favoritesCount: 0, author }],
      articlesCount: 5,
    });
  });

  const lists = {
    "": "b2 a3 b1 a2 a1 of 5",
    "?limit=2": "b2 a3 of 5",
    "?limit=2&offset=3": "a2 a1 of 5",
    "?offset=9": " of 5",
    "?tag=x": "b2 a2 a1 of 3",
    "?author=ann": "a3 a2 a1 of 3",
    "?author=ann&tag=x": "a2 a1 of 2",
    "?author=nobody": " of 0",
    "?favorited=bob": " of 0",
  };
  for (const [query, expected] of Object.entries(lists))
    it(`sends ${expected} for ${query || "no filter"}`, async () => {
      assert.equal(await list(conduit.call, `/articles${query}`), expected);
    });

  const rejected = ["limit=0", "limit=101", "limit=x", "limit=", "limit=0x10", "limit=1&limit=2", "offset=-1"];
  for (const query of rejected)
    it(`responds with 422 to ${query}`, async () => {
      const [name, range] = query.startsWith("limit") ? ["limit", "1 to 100"] : ["offset", "0 to 1000000"];
      const response = await conduit.call("GET", `/articles?${query}`);
      assert.deepEqual(response, failed(422, name, `must be a whole number from ${range}`));
    });

  it("names everything that is wrong with a page", async () => {
    const { status, body } = await conduit.call("GET", "/articles?limit=0&offset=x&author=a&author=b");
    assert.deepEqual(
      [status, Object.keys((body as { readonly errors: object }).errors).toSorted()],
      [422, ["author", "limit", "offset"]],
    );
  });

  it("responds with 401 to a bad token", async () => {
    const response = await conduit.as("Token x.y.z")("GET", "/articles");
    assert.deepEqual(response, failed(401, "token", "is not valid"));
  });
});

describe("POST and DELETE /articles/{slug}/favorite", () => {
  it("count each user once, and say whether the reader is one", async () => {
    const seen = async (call: Call, method: string, path: string): Promise<readonly unknown[]> => {
      const { status, body } = await call(method, path);
      const { article } = body as {
        readonly article: { readonly favorited: boolean; readonly favoritesCount: number };
      };
      return [status, article.favorited, article.favoritesCount];
    };
    assert.deepEqual(await seen(bob.call, "POST", "/articles/a1/favorite"), [200, true, 1]);
    assert.deepEqual(await seen(bob.call, "POST", "/articles/a1/favorite"), [200, true, 1]);
    assert.deepEqual(await seen(ann.call, "POST", "/articles/a1/favorite"), [200, true, 2]);
    assert.deepEqual(await seen(conduit.call, "GET", "/articles/a1"), [200, false, 2]);
    assert.equal(await list(conduit.call, "/articles?favorited=bob"), "a1 of 1");
    assert.deepEqual(await seen(bob.call, "DELETE", "/articles/a1/favorite"), [200, false, 1]);
    assert.deepEqual(await seen(bob.call, "DELETE", "/articles/a1/favorite"), [200, false, 1]);
    assert.equal(await list(conduit.call, "/articles?favorited=bob"), " of 0");
  });

  for (const method of ["POST", "DELETE"])
    it(`${method} responds with 401 without a token and 404 to an unknown slug`, async () => {
      assert.deepEqual(await conduit.call(method, "/articles/nothing/favorite"), anonymous);
      const response = await ann.call(method, "/articles/nothing/favorite");
      assert.deepEqual(response, failed(404, "article", "not found"));
    });
});

describe("GET /articles/feed", () => {
  it("sends articles of followed authors, in pages", async () => {
    assert.equal(await list(bob.call, "/articles/feed"), " of 0");
    await bob.call("POST", "/profiles/ann/follow");
    assert.equal(await list(bob.call, "/articles/feed"), "a3 a2 a1 of 3");
    assert.equal(await list(bob.call, "/articles/feed?limit=1&offset=1"), "a2 of 3");
    assert.equal(await list(ann.call, "/articles/feed"), " of 0");
  });

  it("responds with 401 without a token and 422 to a bad page", async () => {
    assert.deepEqual(await conduit.call("GET", "/articles/feed?limit=0"), anonymous);
    const response = await bob.call("GET", "/articles/feed?limit=0");
    assert.deepEqual(response, failed(422, "limit", "must be a whole number from 1 to 100"));
  });
});

describe("GET /tags", () => {
  it("sends every tag, the most used first", async () => {
    assert.deepEqual(await conduit.call("GET", "/tags"), { status: 200, body: { tags: ["x", "y", "z"] } });
  });
});
