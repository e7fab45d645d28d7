/**
 * "Profile" of Conduit's specification: GET /profiles/{username}, POST and DELETE /profiles/{username}/follow.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { anonymous, failed, type OpenConduit, openConduit, type TestUser } from "../testing.ts";

let conduit: OpenConduit;
let ann: TestUser;

before(async () => {
  conduit = await openConduit();
  ann = await conduit.user("ann");
  await conduit.user("celeb");
});
after(() => conduit.close());

const celeb = (following: boolean): object => ({
  status: 200,
  body: { profile: { username: "celeb", bio: null, image: null, following } },
});
const unknown = failed(404, "profile", "not found");

describe("GET /profiles/{username}", () => {
  it("sends a profile even without a token", async () => {
    assert.deepEqual(await conduit.call("GET", "/profiles/celeb"), celeb(false));
    assert.deepEqual(await ann.call("GET", "/profiles/celeb"), celeb(false));
  });

  it("responds with 404 to an unknown name, 401 to a bad token", async () => {
    assert.deepEqual(await conduit.call("GET", "/profiles/nobody"), unknown);
    const response = await conduit.as("Token x.y.z")("GET", "/profiles/celeb");
    assert.deepEqual(response, failed(401, "token", "is not valid"));
  });
});

describe("POST and DELETE /profiles/{username}/follow", () => {
  it("follow and unfollow, each twice without an error", async () => {
    assert.deepEqual(await ann.call("POST", "/profiles/celeb/follow"), celeb(true));
    assert.deepEqual(await ann.call("POST", "/profiles/celeb/follow"), celeb(true));
    assert.deepEqual(await ann.call("GET", "/profiles/celeb"), celeb(true));
    assert.deepEqual(await conduit.call("GET", "/profiles/celeb"), celeb(false));
    assert.deepEqual(await ann.call("DELETE", "/profiles/celeb/follow"), celeb(false));
    assert.deepEqual(await ann.call("DELETE", "/profiles/celeb/follow"), celeb(false));
    assert.deepEqual(await ann.call("GET", "/profiles/celeb"), celeb(false));
  });

  for (const method of ["POST", "DELETE"])
    it(`${method} responds with 401 without a token and 404 to an unknown name`, async () => {
      assert.deepEqual(await conduit.call(method, "/profiles/celeb/follow"), anonymous);
      assert.deepEqual(await conduit.call(method, "/profiles/nobody/follow"), anonymous);
      assert.deepEqual(await ann.call(method, "/profiles/nobody/follow"), unknown);
    });

  it("responds with 422 to following oneself", async () => {
    const response = await ann.call("POST", "/profiles/ann/follow");
    assert.deepEqual(response, failed(422, "profile", "is your own: you cannot follow yourself"));
  });
});
