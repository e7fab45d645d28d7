/** group.onError: the nearest scope responds first (PLUGIN). */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Framework, HttpError, NotFoundError } from "../index.ts";

class Refused extends Error {}

/** An app with a logger that keeps its lines. */
function subject(): { readonly app: Framework; readonly lines: string[]; ask(path: string): Promise<unknown> } {
  const lines: string[] = [];
  const logger = { warn: () => undefined, error: (line: string) => void lines.push(line) };
  const app = Framework.create({ logger });
  const ask = async (path: string): Promise<unknown> => {
    const response = await app.request(path);
    return [response.status, await response.text()];
  };
  return { app, lines, ask };
}

const throwing = (error: () => unknown) => (): never => {
  throw error();
};

describe("group.onError", () => {
  test("the innermost group comes first, also with a wider class, then the app", async () => {
    const { app, ask } = subject();
    app
      .onError(Refused, () => "app")
      .get(
        "/out",
        throwing(() => new Refused()),
      )
      .group("/a", (a) => {
        a.onError(Error, () => "a").get(
          "/x",
          throwing(() => new Refused()),
        );
        a.group(
          "/b",
          (b) =>
            void b
              .onError(Refused, () => "b")
              .get(
                "/x",
                throwing(() => new Refused()),
              ),
        );
        a.group(
          "/c",
          (c) =>
            void c.get(
              "/x",
              throwing(() => new Refused()),
            ),
        );
      })
      .group(
        "/d",
        (d) =>
          void d
            .onError(TypeError, () => "d")
            .get(
              "/x",
              throwing(() => new Refused()),
            ),
      );
    assert.deepEqual(await Promise.all(["/out", "/a/x", "/a/b/x", "/a/c/x", "/d/x"].map(ask)), [
      [500, "app"],
      [500, "a"],
      [500, "b"],
      [500, "a"],
      [500, "app"],
    ]);
  });

  test("an error of the group's middleware belongs to the group, and so does an asynchronous rejection", async () => {
    const { app, ask } = subject();
    app.group("/a", (a) => {
      a.onError(Refused, (error, ctx) => ctx.status(403).text(`no ${ctx.path} ${error instanceof Refused}`));
      a.use(async (ctx, next) => {
        await next();
        if (ctx.queryParam("late") !== undefined) throw new Refused();
      });
      a.get("/x", async () => "fine");
    });
    assert.deepEqual(
      [await ask("/a/x"), await ask("/a/x?late")],
      [
        [200, "fine"],
        [403, "no /a/x true"],
      ],
    );
  });

  test("an unhandled request is in no group, but an HttpError of a route is", async () => {
    const { app, ask } = subject();
    app.group("/a", (a) => {
      a.onError(NotFoundError, (_, ctx) => ctx.text("nothing in a"));
      a.get(
        "/x",
        throwing(() => new NotFoundError()),
      );
    });
    assert.deepEqual(await ask("/a/x"), [404, "nothing in a"]);
    const response = await app.request("/a/y");
    assert.deepEqual([response.status, response.headers.get("content-type")], [404, "application/problem+json"]);
  });

  test("a handler that does not respond, or fails, leaves the error to the outer ones", async () => {
    const { app, lines, ask } = subject();
    const asked: string[] = [];
    app
      .onError(Refused, () => "app")
      .group("/a", (a) => {
        a.onError(
          Refused,
          throwing(() => new Error("the handler's own")),
        );
        a.group("/b", (b) => {
          b.onError(Refused, () => void asked.push("b"));
          b.get(
            "/x",
            throwing(() => new Refused()),
          );
        });
      });
    assert.deepEqual([await ask("/a/b/x"), asked, lines], [[500, "app"], ["b"], ["GET /a/b/x failed"]]);
  });

  test("an HttpError from a handler is mapped again, and no handler is called twice", async () => {
    const { app, ask } = subject();
    const asked: string[] = [];
    app
      .onStatus(409, (ctx) => ctx.text("conflict"))
      .group("/a", (a) => {
        a.onError(Refused, () => {
          asked.push("refused");
          throw new HttpError(409, "taken");
        });
        a.onError(HttpError, () => {
          asked.push("http");
          throw new HttpError(409, "taken again");
        });
        a.get(
          "/x",
          throwing(() => new Refused()),
        );
      });
    assert.deepEqual(
      [await ask("/a/x"), asked],
      [
        [409, "conflict"],
        ["refused", "http"],
      ],
    );
  });

  test("a second handler for one class in one group is an error, and so is a value that is not a class", () => {
    Framework.create().group("/a", (a) => {
      a.onError(Refused, () => "1");
      assert.throws(() => a.onError(Refused, () => "2"), /Refused has an exception handler already/);
      assert.throws(() => a.onError((() => 1) as never, () => "2"), /group\.onError takes an error class first/);
    });
  });

  test("a group accepts no handler after the start", async () => {
    const { app } = subject();
    let late = (): unknown => undefined;
    app.group("/a", (a) => void (late = () => a.onError(Refused, () => "late")));
    await app.ready();
    assert.throws(late, { code: "APP_STARTED" });
  });
});
