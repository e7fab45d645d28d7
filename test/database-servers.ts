/** A MariaDB and a PostgreSQL for one test, each on a Unix socket in its own folder: no port, and nothing remains afterwards. */
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { accepts } from "./redis-server.ts";

/** A test, or what ends like one. */
type Scope = Pick<TestContext, "after">;

const isThere = (program: string): boolean => spawnSync(program, ["--version"]).error === undefined;

/** Why tests with MariaDB are skipped, or false if they are not. */
export const isMariaDbMissing = (): false | string =>
  isThere("mariadbd") && isThere("mariadb-install-db") ? false : "skipped: mariadb-server is not installed";

/** Why tests with PostgreSQL are skipped, or false if they are not. */
export const isPostgresMissing = (): false | string =>
  postgresFolder() === undefined ? "skipped: postgresql is not installed" : false;

/** Runs a MariaDB until the test is over. `root` needs no password. There is a database `test`. */
export async function startMariaDb(t: TestContext): Promise<{ readonly path: string }> {
  const folder = mkdtempSync(join(tmpdir(), "framework-mariadb-"));
  const [data, path] = [join(folder, "data"), join(folder, "mariadb.sock")];
  const user = process.getuid?.() === 0 ? ["--user=root"] : [];
  const made = spawnSync("mariadb-install-db", [
    "--no-defaults",
    `--datadir=${data}`,
    "--auth-root-authentication-method=normal",
    "--skip-name-resolve",
    ...user,
  ]);
  if (made.status !== 0) throw new Error(`mariadb-install-db: ${String(made.stderr)}`);
  const args = ["--no-defaults", `--datadir=${data}`, `--socket=${path}`, "--skip-networking", "--skip-log-bin"];
  await startServer(t, folder, path, () => spawn("mariadbd", [...args, ...user], { stdio: "ignore" }));
  return { path };
}

/** The folder of the programs of Debian's newest PostgreSQL. */
function postgresFolder(): string | undefined {
  const all = "/usr/lib/postgresql";
  if (!existsSync(all)) return undefined;
  const [newest] = readdirSync(all).toSorted((a, b) => Number(b) - Number(a));
  const folder = newest === undefined ? undefined : join(all, newest, "bin");
  return folder !== undefined && existsSync(join(folder, "initdb")) ? folder : undefined;
}

/** The account that PostgreSQL runs under, since it does not run as root. */
function postgresAccount(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const ids = ["-u", "-g"].map((which) => Number(String(spawnSync("id", [which, "postgres"]).stdout).trim()));
  const [uid, gid] = ids;
  return uid === undefined || gid === undefined || !(uid > 0) ? {} : { uid, gid };
}

/** A running PostgreSQL, which can be killed and started again with its data. */
export interface PostgresServer {
  /** The folder of its socket. */
  readonly folder: string;
  readonly user: string;
  /** Kills it like a crash. */
  kill(): Promise<void>;
  start(): Promise<void>;
}

/** Runs a PostgreSQL until the test is over. Its user needs no password. */
export async function startPostgres(t: Scope): Promise<PostgresServer> {
  const programs = postgresFolder() ?? "";
  const account = postgresAccount();
  const folder = mkdtempSync(join(tmpdir(), "framework-pg-"));
  chmodSync(folder, 0o755);
  if (account.uid !== undefined && account.gid !== undefined) chownSync(folder, account.uid, account.gid);
  const data = join(folder, "data");
  const options = { ...account, cwd: folder };
  const made = spawnSync(
    join(programs, "initdb"),
    ["-D", data, "-U", "tester", "--auth=trust", "--no-sync", "--no-locale", "-E", "UTF8"],
    options,
  );
  if (made.status !== 0) throw new Error(`initdb: ${String(made.stderr)}`);
  const args = ["-D", data, "-k", folder, "-c", "listen_addresses=", "-c", "fsync=off"];
  const path = join(folder, ".s.PGSQL.5432");
  const server = await startServer(t, folder, path, () =>
    spawn(join(programs, "postgres"), args, { ...options, stdio: "ignore" }),
  );
  // It accepts connections a moment before it answers on them: "the database system is starting up".
  const answers = async (): Promise<void> => {
    while (spawnSync(join(programs, "pg_isready"), ["-q", "-h", folder]).status !== 0)
      await new Promise((resolve) => setTimeout(resolve, 10));
  };
  await answers();
  return {
    folder,
    user: "tester",
    kill: server.kill,
    start: async () => {
      await server.start();
      await answers();
    },
  };
}

/** Waits until the server accepts connections. Kills it and removes its folder when the test is over. */
async function startServer(
  t: Scope,
  folder: string,
  path: string,
  spawned: () => ChildProcess,
): Promise<Pick<PostgresServer, "kill" | "start">> {
  let child: ChildProcess | undefined;
  const kill = async (): Promise<void> => {
    if (child?.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  };
  const start = async (): Promise<void> => {
    const started = (child = spawned());
    while (!(await accepts(path))) {
      if (started.exitCode !== null) throw new Error(`the server ended with ${started.exitCode}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };
  t.after(async () => {
    await kill();
    rmSync(folder, { recursive: true, force: true });
  });
  await start();
  return { kill, start };
}
