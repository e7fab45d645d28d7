/**
 * statements: SQL on lines, to copy, and by its shape.
 */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { oneLine, shapeOf, sqlLines, sqlText } from "./statements.ts";

describe("sqlLines", () => {
  test("begins a line with each part of a statement that was written on one line", () => {
    assert.equal(
      sqlLines(
        "select p.id,  p.name from products p left join stock s on s.id = p.id where p.id = $1 order by p.id limit 5",
      ),
      "select p.id, p.name\nfrom products p\nleft join stock s on s.id = p.id\nwhere p.id = $1\norder by p.id\nlimit 5",
    );
    assert.equal(
      sqlLines("update a set b = 1 where c = 2 returning *"),
      "update a\nset b = 1\nwhere c = 2\nreturning *",
    );
  });

  test("leaves texts, quoted names, comments and brackets unchanged", () => {
    const kept = `select 'x  from  y', "a where b", extract(year from at) /* from  here */`;
    assert.equal(sqlLines(kept), kept);
    assert.equal(sqlLines("select 'it''s from' from a"), "select 'it''s from'\nfrom a");
    assert.equal(sqlLines("select 'open from a"), "select 'open\nfrom a");
  });

  test("keeps the lines of a statement with several, without their common indent", () => {
    assert.equal(sqlLines("\n      select *\n        from a\n      where b\n    "), "select *\n  from a\nwhere b");
    assert.equal(sqlLines("select *\n      from a\n      where b"), "select *\nfrom a\nwhere b");
  });
});

describe("sqlLines, at its edges", () => {
  const lines: Readonly<Record<string, string>> = {
    " select 1  from a ": "select 1\nfrom a",
    "select (select (1) from a where b) from c where d": "select (select (1) from a where b)\nfrom c\nwhere d",
    "\n \n  select 1\n\n    from a\n  where b": "select 1\n\n  from a\nwhere b",
    "    select 1\n  from a\n      where b": "  select 1\nfrom a\n    where b",
    "  select 1\n    from a\n    where b": "select 1\n  from a\n  where b",
    "select 1\n    from a\n  where b": "select 1\n  from a\nwhere b",
    "select 1 \n   \n    from a": "select 1 \n\nfrom a",
    " \n ": "",
    "": "",
  };
  for (const [statement, shown] of Object.entries(lines))
    test(`writes ${JSON.stringify(statement)}`, () => assert.equal(sqlLines(statement), shown));
});

describe("oneLine", () => {
  test("joins the lines", () => assert.equal(oneLine("  a\n   b "), "a b"));
});

describe("sqlText", () => {
  test("has each parameter after the statement, as a comment", () => {
    assert.equal(
      sqlText({ statement: "select 1 from a where b = $1 and c = $2", parameters: ["it's", 2] }),
      `select 1\nfrom a\nwhere b = $1 and c = $2\n-- $1 = "it's"\n-- $2 = 2`,
    );
  });
});

describe("shapeOf, complete", () => {
  const shapes: Readonly<Record<string, string>> = {
    " select  a,\n b ": "select a, b",
    "select 'a', \"b\", `c` from t": 'select ?, "b", `c` from t',
    "select x::int, :n, @m, $12, 1.5, t1, '' from t": "select x::int, ?, ?, ?, ?, t1, ? from t",
    "select 1 -- 'c\nfrom t /* 2 */ where a": "select ? from t where a",
    "select a/*b*/from t--c": "select a from t",
    "select a from t -- it's'": "select a from t",
    "where id in ( 1 , 2,3 ) and (a, 1)": "where id in (?) and (a, ?)",
    "where id in (1) and b in ( ? )": "where id in (?) and b in (?)",
    "values (1,2) , (3, 4),( 5,6), (7)": "values (?)",
    "values (1),(2) on conflict (a) do": "values (?) on conflict (a) do",
  };
  for (const [statement, shape] of Object.entries(shapes))
    test(`removes the values of ${JSON.stringify(statement)}`, () => assert.equal(shapeOf(statement), shape));
});

describe("shapeOf", () => {
  const same: readonly (readonly [what: string, a: string, b: string])[] = [
    ["numbers", "select * from a where id = 7", "select * from a where id = 1234.5"],
    ["texts", "select * from a where id = 'x'", "select * from a where id = 'it''s'"],
    ["parameters", "select * from a where id = $1", "select * from a where id = $12"],
    ["parameters of other databases", "select * from a where id = ?", "select * from a where id = :id"],
    ["blanks", "select *\n  from a", "select * from a"],
    ["comments", "select * from a /* trace 1 */", "select * from a -- trace 2"],
    ["the length of a list", "select * from a where id in (1, 2)", "select * from a where id in ($1,$2,$3)"],
    ["the number of rows", "insert into a values (1, 2)", "insert into a values (1, 2), (3, 4)"],
  ];
  for (const [what, a, b] of same) test(`is the same with other ${what}`, () => assert.equal(shapeOf(a), shapeOf(b)));

  test("differs with tables, columns, quoted names and names with digits", () => {
    const statements = [
      "select * from a",
      "select * from b",
      'select * from "a"',
      "select x from a",
      "select * from a1",
    ];
    assert.equal(new Set(statements.map(shapeOf)).size, statements.length);
  });
});
