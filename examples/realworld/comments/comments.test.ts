/**
 * "Comments" of Conduit's specification: GET and POST /articles/{slug}/comments, DELETE /articles/{slug}/comments/{id}.
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
  for (const title of ["One", "Two"])
    await ann.call("POST", "/articles", { article: { title, description: "d", body: "b" } });
});
after(() => conduit.close());

const time = start.toISOString();
const comment = (id: number, username: string, body: string, following = false): object => {
  const author = { username, bio: null, image: null, following };
  return { id, createdAt: time, updatedAt: time, body, author };
};

describe("POST /articles/{slug}/comments", () => {
  it("adds a comment, 201", async () => {
    const response = await bob.call("POST", "/articles/one/comments", {
      comment: { body: "His name was my name too." },
    });
    assert.deepEqual(response, { status: 201, body: { comment: comment(1, "bob", "His name was my name too.") } });
  });

  it("responds with 422 to a blank comment, 404 and 401", async () => {
    const blank = await bob.call("POST", "/articles/one/comments", { comment: { body: " " } });
    assert.deepEqual(blank, failed(422, "body", "can't be blank"));
    const lost = await bob.call("POST", "/articles/nothing/comments", { comment: { body: "x" } });
    assert.deepEqual(lost, failed(404, "article", "not found"));
    assert.deepEqual(await conduit.call("POST", "/articles/one/comments", { comment: { body: " " } }), anonymous);
  });
});

describe("GET /articles/{slug}/comments", () => {
  it("sends an article's comments, the newest first, and whether the reader follows each author", async () => {
    await ann.call("POST", "/articles/one/comments", { comment: { body: "Thank you" } });
    await ann.call("POST", "/profiles/bob/follow");
    const comments = (following: boolean): object => ({
      status: 200,
      body: { comments: [comment(2, "ann", "Thank you"), comment(1, "bob", "His name was my name too.", following)] },
    });
    assert.deepEqual(await conduit.call("GET", "/articles/one/comments"), comments(false));
    assert.deepEqual(await ann.call("GET", "/articles/one/comments"), comments(true));
    assert.deepEqual(await ann.call("GET", "/articles/two/comments"), { status: 200, body: { comments: [] } });
  });

  it("responds with 404 to an unknown slug, 401 to a bad token", async () => {
    const response = await conduit.call("GET", "/articles/nothing/comments");
    assert.deepEqual(response, failed(404, "article", "not found"));
    const forged = await conduit.as("Token x.y.z")("GET", "/articles/one/comments");
    assert.deepEqual(forged, failed(401, "token", "is not valid"));
  });
});

describe("DELETE /articles/{slug}/comments/{id}", () => {
  it("removes one's own comment, 204", async () => {
    assert.deepEqual(await bob.call("DELETE", "/articles/one/comments/1"), { status: 204, body: undefined });
    const { body } = await conduit.call("GET", "/articles/one/comments");
    assert.deepEqual(body, { comments: [comment(2, "ann", "Thank you")] });
  });

  it("responds with 403 to another user's comment", async () => {
    const response = await bob.call("DELETE", "/articles/one/comments/2");
    assert.deepEqual(response, failed(403, "comment", "forbidden"));
  });

  const lost = {
    "an unknown id": "one/comments/99",
    "another article": "two/comments/2",
    "a huge id": "one/comments/3000000000",
  };
  for (const [name, path] of Object.entries(lost))
    it(`responds with 404 to ${name}`, async () => {
      const response = await ann.call("DELETE", `/articles/${path}`);
      assert.deepEqual(response, failed(404, "comment", "not found"));
    });

  it("responds with 404 to an unknown slug, 422 to an id that is not a number, 401 without a token", async () => {
    const responses = await Promise.all([
      ann.call("DELETE", "/articles/nothing/comments/2"),
      ann.call("DELETE", "/articles/one/comments/x"),
      conduit.call("DELETE", "/articles/one/comments/2"),
    ]);
    assert.deepEqual(responses, [
      failed(404, "article", "not found"),
      failed(422, "id", `must be a whole number from 0 to ${Number.MAX_SAFE_INTEGER}`),
      anonymous,
    ]);
  });
});
