/**
 * The site: the Markdown of the repository as pages, with a search.
 *
 *   README.md ──▶ /      docs/*.md ──▶ /<page>      spec/*.md ──▶ /spec/<page>      docs/api/*.md ──▶ /api/<import>
 *
 * The shelves are the sections of docs/README.md. A link to a page that is not here fails the build. A link to another file of the
 * repository is shown as text.
 */
import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig, type DefaultTheme } from "vitepress";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Pages of the repository by where they are on the site; others keep their path. */
const rewrites: Readonly<Record<string, string>> = {
  "README.md": "index.md",
  // Another name than that of docs/security.md in other letters.
  "SECURITY.md": "security-policy.md",
  "CONTRIBUTING.md": "contributing.md",
  "docs/README.md": "guides.md",
  "docs/api/README.md": "api/index.md",
  "docs/api/:page.md": "api/:page.md",
  "docs/:page.md": ":page.md",
  "spec/README.md": "spec/index.md",
  "conformance/README.md": "conformance.md",
  "bench/README.md": "bench.md",
  "test/stress/README.md": "stress.md",
  "examples/:example/README.md": "examples/:example.md",
  "src/create-framework/README.md": "create-framework.md",
};

/** Where a file of the repository is on the site. */
function siteLink(file: string): string {
  for (const [from, to] of Object.entries(rewrites)) {
    const found = new RegExp(`^${from.replace(/:\w+/, "([^/]+)")}$`).exec(file);
    if (found !== null) return `/${to.replace(/:\w+/, found[1] ?? "")}`.replace(/(?:index)?\.md$/, "");
  }
  return `/${file.replace(/\.md$/, "")}`;
}

/** The shelves: each heading of docs/README.md with the first link of each of its lines. */
function shelves(): DefaultTheme.SidebarItem[] {
  const [, ...sections] = readFileSync(join(root, "docs/README.md"), "utf8").split(/^## /m);
  return sections.map((section) => ({
    text: section.split("\n")[0] ?? "",
    items: [...section.matchAll(/^- \[([^\]]+)\]\(([^)#]+)/gm)].map(([, name = "", to = ""]) => ({
      text: name.replaceAll("`", ""),
      link: siteLink(join("docs", to)),
    })),
  }));
}

// oxlint-disable-next-line import/no-default-export -- where VitePress reads it
export default defineConfig({
  title: "framework",
  description: "An HTTP framework for TypeScript that you can watch run, and whose promises are tested",
  lang: "en",
  srcDir: "..",
  srcExclude: [
    "**/{node_modules,dist,.*}/**",
    "{coverage,test-results,playwright-report}/**",
    "{conformance/*,bench/*,test/!(stress|mutation),src/!(create-framework),src/create-framework/*}/**/*",
    "CHANGELOG.md",
  ],
  outDir: "../.build/site",
  cacheDir: "../.build/site-cache",
  cleanUrls: true,
  // In the package, the contract of the subject is beside the page.
  ignoreDeadLinks: ["/conformance/spec/subject"],
  rewrites,
  markdown: {
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    config(md) {
      const { link_open: open, link_close: close } = md.renderer.rules;
      const isLeftOut: boolean[] = [];
      md.renderer.rules.link_open = (tokens, at, options, env, self) => {
        const [href = "", hash = ""] = (tokens[at]?.attrGet("href") ?? "").split(/(?=#)/);
        const isRelative = href !== "" && !/^(?:[a-z]+:|\/|#)/.test(href);
        const file = join(relative(root, dirname(String(env.realPath ?? env.path))), href);
        isLeftOut.push(isRelative && !href.endsWith(".md"));
        if (isLeftOut.at(-1) === true) return "<span>";
        if (isRelative) tokens[at]?.attrSet("href", siteLink(file) + hash);
        return open?.(tokens, at, options, env, self) ?? self.renderToken(tokens, at, options);
      };
      md.renderer.rules.link_close = (tokens, at, options, env, self) =>
        isLeftOut.pop() === true
          ? "</span>"
          : (close?.(tokens, at, options, env, self) ?? self.renderToken(tokens, at, options));
    },
  },
  themeConfig: {
    search: {
      provider: "local",
      options: {
        miniSearch: {
          options: { processTerm: (term) => (/^(?:an?|the|of|in|to|with)$/i.test(term) ? null : term.toLowerCase()) },
          searchOptions: {
            fuzzy: 0.2,
            prefix: true,
            boost: { title: 4, text: 2, titles: 3 },
            // A guide comes before the reference, the reference before the specification and the pages on tests.
            boostDocument: (id) => {
              const [, page = ""] = /^\/([\w-]*)/.exec(id) ?? [];
              if (/^(?:api|guides|migrating-.*|comparison|errors|mistakes)$/.test(page)) return 0.3;
              return /^(?:spec|conformance|bench|stress|test|security-policy|contributing|nightly|examples)$/.test(page)
                ? 0.1
                : 1;
            },
          },
        },
      },
    },
    nav: [
      { text: "Guides", link: "/guides" },
      { text: "API", link: "/api/" },
      { text: "Specification", link: "/spec/" },
    ],
    sidebar: shelves(),
    outline: [2, 3],
  },
});
