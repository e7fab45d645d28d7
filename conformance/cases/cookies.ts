/** Setting and reading cookies. Spec: cookies.md (COOKIE). */
import { proves } from "../kit/case.ts";
import type { Probe } from "../kit/probe.ts";
import type { HttpResponse } from "../kit/response.ts";

/** The name of the cookie in a `Set-Cookie` line, and its attributes in lower case, sorted. */
function partsOf(line: string): readonly string[] {
  const [pair = "", ...attributes] = line.split(";").map((part) => part.trim());
  return [pair.slice(0, pair.indexOf("=")), ...attributes.map((one) => one.toLowerCase()).toSorted()];
}

/** The lines of the subject's own cookies, since a proxy in front of it may set others. */
const linesOf = async (probe: Probe): Promise<readonly string[]> =>
  (await probe.send("GET", "/cookies")).all("set-cookie").filter((line) => /^(?:color|size)=/.test(line));

/** The cases of this chapter that are not vectors. */
export const cookies = [
  proves("COOKIE-001", "sends a line for each cookie", async (probe) => {
    const lines = await linesOf(probe);
    probe.equal(
      "the names of the lines",
      lines.map((line) => partsOf(line)[0]),
      ["color", "size"],
    );
    probe.equal(
      "cookies in a line",
      lines.map((line) => line.match(/(?:^|,\s*)(?:color|size)=/g)?.length),
      [1, 1],
    );
  }),

  proves("COOKIE-002", "sends cookies with the default attributes", async (probe) => {
    const lines = await linesOf(probe);
    probe.equal("whether there are cookies", lines.length > 0, true);
    for (const line of lines)
      probe.equal("attributes", partsOf(line.split(",")[0] ?? "").slice(1), [
        "httponly",
        "path=/",
        "samesite=lax",
        "secure",
      ]);
  }),

  proves(
    "COOKIE-002",
    "sends the cookie of a session with them too, and with its lifetime",
    async (probe) => {
      const name = probe.token();
      const first = await probe.send("POST", `/sessions/sealed/values/${name}`);
      const sessionLines = (response: HttpResponse): readonly string[] =>
        response.all("set-cookie").filter((line) => line.startsWith("__Host-session="));
      const headers = { cookie: sessionLines(first)[0]?.split(";")[0] ?? "" };
      const responses = [
        first,
        await probe.send("POST", `/sessions/sealed/values/other-${name}?fail=yes`, { headers }),
        await probe.send("POST", "/sessions/sealed/items/a", { headers }),
        await probe.send("POST", "/sessions/sealed/ended", { headers }),
      ];
      const defaults = ["httponly", "path=/", "samesite=lax", "secure"];
      const lives = /^(?:max-age=\d+|expires=[a-z]{3}, \d\d [a-z]{3} \d{4} \d\d:\d\d:\d\d gmt)$/;
      for (const response of responses) {
        const [line = "", ...more] = sessionLines(response);
        const [cookie, ...attributes] = partsOf(line);
        const others = attributes.filter((attribute) => !lives.test(attribute));
        probe.equal("the cookie, and its attributes", [cookie, others, more], ["__Host-session", defaults, []]);
      }
    },
    { features: ["session"] },
  ),
];
