/**
 * "User and Authentication" of Conduit's specification: POST /users/login, POST /users, GET /user, PUT /user.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { anonymous, failed, type OpenConduit, openConduit, start, type TestResponse } from "../testing.ts";

let conduit: OpenConduit;

before(async () => {
  conduit = await openConduit();
});
after(() => conduit.close());

const jake = { username: "jake", email: "jake@jake.jake", password: "jakejake" };

/** The user of a response without the token, after a check of the token. */
function withoutToken({ status, body }: { readonly status: number; readonly body: unknown }): unknown {
  const { token, ...user } = (body as { readonly user: { readonly token: string } }).user;
  assert.match(token, /^[\w-]+\.[\w-]+\.[\w-]+$/);
  return { status, user };
}

describe("POST /users", () => {
  it("registers a user, 201 with a token", async () => {
    const response = await conduit.call("POST", "/users", { user: jake });
    const user = { email: "jake@jake.jake", username: "jake", bio: null, image: null };
    assert.deepEqual(withoutToken(response), { status: 201, user });
  });

  const fields = { email: { ...jake, username: "other" }, username: { ...jake, email: "other@jake.jake" } };
  for (const [field, user] of Object.entries(fields))
    it(`responds with 409 to a taken ${field}`, async () => {
      const response = await conduit.call("POST", "/users", { user });
      assert.deepEqual(response, failed(409, field, "has already been taken"));
    });

  it("accepts an e-mail address only once, in any spelling", async () => {
    const response = await conduit.call("POST", "/users", {
      user: { ...jake, username: "jack", email: "JAKE@jake.jake" },
    });
    assert.deepEqual(response, failed(409, "email", "has already been taken"));
  });

  it("responds with 422 and names every field that is blank, missing or malformed", async () => {
    const response = await conduit.call("POST", "/users", { user: { username: " ", email: "nobody" } });
    const errors = { username: ["can't be blank"], email: ["is invalid"], password: ["can't be blank"] };
    assert.deepEqual(response, { status: 422, body: { errors } });
  });

  const passwords = {
    "": failed(422, "password", "can't be blank"),
    seven77: failed(422, "password", "is shorter than 8 characters"),
  };
  for (const [password, expected] of Object.entries(passwords))
    it(`responds with 422 to the password ${JSON.stringify(password)}`, async () => {
      const user = { username: "short", email: "short@jake.jake", password };
      assert.deepEqual(await conduit.call("POST", "/users", { user }), expected);
    });

  it("responds with 422 to a body without user, 400 to one that is not JSON", async () => {
    assert.deepEqual(await conduit.call("POST", "/users", {}), failed(422, "user", "can't be blank"));
    const { status, body } = await conduit.call("POST", "/users", "{");
    assert.deepEqual([status, Object.keys((body as { readonly errors: object }).errors)], [400, ["request"]]);
  });

  it("responds with 422 to a text that PostgreSQL cannot store", async () => {
    const user = { ...jake, username: "nul\u0000", email: "nul@jake.jake" };
    const response = await conduit.call("POST", "/users", { user });
    assert.deepEqual(response, failed(422, "request", "has a text with the character U+0000, which cannot be stored"));
  });
});

describe("POST /users/login", () => {
  it("sends the user with a token", async () => {
    const { email, password } = jake;
    const response = await conduit.call("POST", "/users/login", { user: { email, password } });
    const user = { email, username: "jake", bio: null, image: null };
    assert.deepEqual(withoutToken(response), { status: 200, user });
  });

  const wrong = {
    "a wrong password": { email: jake.email, password: "wrong" },
    "an unknown address": { email: "nobody@jake.jake", password: jake.password },
  };
  for (const [name, user] of Object.entries(wrong))
    it(`responds with 401 to ${name}, in the same words`, async () => {
      const response = await conduit.call("POST", "/users/login", { user });
      assert.deepEqual(response, failed(401, "credentials", "invalid"));
    });

  it("responds with 422 to a blank field", async () => {
    const response = await conduit.call("POST", "/users/login", { user: { email: jake.email, password: "" } });
    assert.deepEqual(response, failed(422, "password", "can't be blank"));
  });
});

describe("GET /user", () => {
  it("sends the authenticated user, also with Bearer", async () => {
    const { token, email } = await conduit.user("current");
    for (const scheme of ["Token", "Bearer"]) {
      const response = await conduit.as(`${scheme} ${token}`)("GET", "/user");
      const user = { email, username: "current", bio: null, image: null };
      assert.deepEqual(withoutToken(response), { status: 200, user });
    }
  });

  it("responds with 401 without a token, with a malformed header and with a forged token", async () => {
    const { token } = await conduit.user("forged");
    const [head, , signature] = token.split(".");
    const other = Buffer.from(JSON.stringify({ iss: "conduit", sub: "1", exp: 9_999_999_999 })).toString("base64url");
    const unsigned = `${Buffer.from('{"alg":"none"}').toString("base64url")}.${other}.`;
    const headers = [undefined, "Basic abc", `Token ${head}.${other}.${signature}`, `Token ${unsigned}`];
    const responses = await Promise.all(headers.map((authorization) => conduit.as(authorization)("GET", "/user")));
    const malformed = failed(401, "token", "is written: Authorization: Token <jwt>");
    const invalid = failed(401, "token", "is not valid");
    assert.deepEqual(responses, [anonymous, malformed, invalid, invalid]);
  });

  it("responds with 401 a week later", async () => {
    const { call } = await conduit.user("patient");
    conduit.clock.time = new Date(start.getTime() + 8 * 24 * 60 * 60 * 1000);
    const response = await call("GET", "/user");
    conduit.clock.time = start;
    assert.deepEqual(response, failed(401, "token", "is not valid"));
  });
});

describe("PUT /user", () => {
  it("changes the given fields and keeps the others", async () => {
    const { call, email } = await conduit.user("changing");
    const image = "https://conduit.example/me.png";
    const first = await call("PUT", "/user", { user: { bio: "I like to skateboard", image } });
    assert.deepEqual(withoutToken(first), {
      status: 200,
      user: { email, username: "changing", bio: "I like to skateboard", image },
    });
    const second = await call("PUT", "/user", { user: { username: "changed", image: null, token: "ignored" } });
    assert.deepEqual(withoutToken(second), {
      status: 200,
      user: { email, username: "changed", bio: "I like to skateboard", image: null },
    });
  });

  it("changes the password", async () => {
    const { call, email } = await conduit.user("careful");
    assert.equal((await call("PUT", "/user", { user: { password: "new-secret" } })).status, 200);
    const login = async (password: string): Promise<number> =>
      (await conduit.call("POST", "/users/login", { user: { email, password } })).status;
    assert.deepEqual([await login("new-secret"), await login("careful-secret")], [200, 401]);
  });

  for (const empty of ["", null])
    it(`removes bio and image with ${JSON.stringify(empty)}`, async () => {
      const { call, email, username } = await conduit.user(`plain${String(empty)}`);
      await call("PUT", "/user", { user: { bio: "x", image: "https://conduit.example/me.png" } });
      const response = await call("PUT", "/user", { user: { bio: empty, image: empty } });
      assert.deepEqual(withoutToken(response), { status: 200, user: { email, username, bio: null, image: null } });
      assert.deepEqual(withoutToken(await call("GET", "/user")), withoutToken(response));
    });

  const rejected: Readonly<Record<string, readonly [object, TestResponse]>> = {
    "a taken name": [{ username: "jake" }, failed(409, "username", "has already been taken")],
    "no name": [{ username: null }, failed(422, "username", "can't be blank")],
    "an empty address": [{ email: "" }, failed(422, "email", "can't be blank")],
    "a short password": [{ password: "seven77" }, failed(422, "password", "is shorter than 8 characters")],
    "an image that is no URL": [{ image: "no" }, failed(422, "image", "is no URL")],
    "an image that is a script": [{ image: "javascript:alert(1)" }, failed(422, "image", "is no URL")],
    "nothing at all": [{}, failed(422, "user", "at least one field is required")],
  };
  it(`responds with 409 or 422 to ${Object.keys(rejected).join(", ")}`, async () => {
    const { call } = await conduit.user("wishful");
    for (const [name, [user, expected]] of Object.entries(rejected))
      assert.deepEqual(await call("PUT", "/user", { user }), expected, name);
  });

  it("responds with 401 without a token, for any body", async () => {
    for (const body of [{ user: { bio: "x" } }, { user: {} }, "{"])
      assert.deepEqual(await conduit.call("PUT", "/user", body), anonymous);
  });
});
