/**
 * "User and Authentication" of Conduit's specification: POST /users/login, POST /users, GET /user, PUT /user.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { errors, type OpenConduit, openConduit, start } from "../testing.ts";

let conduit: OpenConduit;

before(async () => {
  conduit = await openConduit();
});
after(() => conduit.close());

const jake = { username: "jake", email: "jake@jake.jake", password: "jakejake" };

/** The user of a response without the token, which is checked to be one. */
function withoutToken({ status, body }: { readonly status: number; readonly body: unknown }): unknown {
  const { token, ...user } = (body as { readonly user: { readonly token: string } }).user;
  assert.match(token, /^[\w-]+\.[\w-]+\.[\w-]+$/);
  return { status, user };
}

describe("POST /users", () => {
  it("registers a user, 201 with a token", async () => {
    const response = await conduit.call("POST", "/users", { user: jake });
    const user = { email: "jake@jake.jake", username: "jake", bio: "", image: null };
    assert.deepEqual(withoutToken(response), { status: 201, user });
  });

  const fields = { email: { ...jake, username: "other" }, username: { ...jake, email: "other@jake.jake" } };
  for (const [field, user] of Object.entries(fields))
    it(`responds with 422 to a taken ${field}`, async () => {
      const response = await conduit.call("POST", "/users", { user });
      assert.deepEqual(response, { status: 422, body: errors(`${field} has already been taken`) });
    });

  it("takes an e-mail address once, however it is written", async () => {
    const response = await conduit.call("POST", "/users", {
      user: { ...jake, username: "jack", email: "JAKE@jake.jake" },
    });
    assert.deepEqual(response, { status: 422, body: errors("email has already been taken") });
  });

  it("responds with 422 and names every field that is blank, missing or malformed", async () => {
    const response = await conduit.call("POST", "/users", { user: { username: " ", email: "nobody" } });
    const body = errors("username can't be blank", "email is invalid", "password can't be blank");
    assert.deepEqual(response, { status: 422, body });
  });

  it("responds with 422 to a body without user, 400 to one that is no JSON", async () => {
    assert.equal((await conduit.call("POST", "/users", {})).status, 422);
    assert.equal((await conduit.call("POST", "/users", "{")).status, 400);
  });
});

describe("POST /users/login", () => {
  it("sends the user with a token", async () => {
    const { email, password } = jake;
    const response = await conduit.call("POST", "/users/login", { user: { email, password } });
    const user = { email, username: "jake", bio: "", image: null };
    assert.deepEqual(withoutToken(response), { status: 200, user });
  });

  const wrong = {
    "a wrong password": { email: jake.email, password: "wrong" },
    "an unknown address": { email: "nobody@jake.jake", password: jake.password },
  };
  for (const [name, user] of Object.entries(wrong))
    it(`responds with 401 to ${name}, in the same words`, async () => {
      const response = await conduit.call("POST", "/users/login", { user });
      assert.deepEqual(response, { status: 401, body: errors("email or password is invalid") });
    });

  it("responds with 422 to a blank field", async () => {
    const response = await conduit.call("POST", "/users/login", { user: { email: jake.email, password: "" } });
    assert.deepEqual(response, { status: 422, body: errors("password can't be blank") });
  });
});

describe("GET /user", () => {
  it("sends the user who asks, also with Bearer", async () => {
    const { token, email } = await conduit.user("current");
    for (const scheme of ["Token", "Bearer"]) {
      const response = await conduit.as(`${scheme} ${token}`)("GET", "/user");
      const user = { email, username: "current", bio: "", image: null };
      assert.deepEqual(withoutToken(response), { status: 200, user });
    }
  });

  it("responds with 401 without a token, with a malformed header and with a forged token", async () => {
    const { token } = await conduit.user("forged");
    const [head, , signature] = token.split(".");
    const other = Buffer.from(JSON.stringify({ iss: "conduit", sub: "1", exp: 9_999_999_999 })).toString("base64url");
    const unsigned = `${Buffer.from('{"alg":"none"}').toString("base64url")}.${other}.`;
    const responses = await Promise.all(
      [undefined, "Basic abc", `Token ${head}.${other}.${signature}`, `Token ${unsigned}`].map(
        async (authorization) => {
          const { status, body } = await conduit.as(authorization)("GET", "/user");
          return [status, body];
        },
      ),
    );
    const invalid = [401, errors("the token is not valid")];
    assert.deepEqual(responses, [
      [401, errors("authentication is required")],
      [401, errors("write: Authorization: Token <jwt>")],
      invalid,
      invalid,
    ]);
  });

  it("responds with 401 a week later", async () => {
    const { call } = await conduit.user("patient");
    conduit.clock.time = new Date(start.getTime() + 8 * 24 * 60 * 60 * 1000);
    const response = await call("GET", "/user");
    conduit.clock.time = start;
    assert.deepEqual(response, { status: 401, body: errors("the token is not valid") });
  });
});

describe("PUT /user", () => {
  it("changes what is given and leaves the rest", async () => {
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

  it("responds with 422 to a taken name, a bad image and to nothing at all", async () => {
    const { call } = await conduit.user("wishful");
    const change = (user: object): Promise<unknown> => call("PUT", "/user", { user });
    assert.deepEqual(await change({ username: "jake" }), {
      status: 422,
      body: errors("username has already been taken"),
    });
    assert.deepEqual(await change({ image: "no" }), { status: 422, body: errors("image is no URL") });
    assert.deepEqual(await change({}), { status: 422, body: errors("user at least one field is required") });
  });

  it("responds with 401 without a token", async () => {
    assert.equal((await conduit.call("PUT", "/user", { user: { bio: "x" } })).status, 401);
  });
});
