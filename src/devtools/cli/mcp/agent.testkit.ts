/**
 * An agent: the official client of the Model Context Protocol, on the program's own streams.
 *
 *   client ──▶ PassThrough ──▶ framework-devtools mcp ──▶ PassThrough ──▶ client
 */
import { PassThrough } from "node:stream";
import { Client } from "@modelcontextprotocol/client";
import { runProgram } from "../terminal/program.ts";

/** How a client negotiates the protocol version. */
export type Mode = "legacy" | { readonly pin: string };

/** The outcome of a call. */
export interface Called {
  readonly text: string;
  readonly isError: boolean;
  /** Checked by the client against the tool's declared shape. */
  readonly result: Readonly<Record<string, unknown>>;
}

/** The environment of the program. */
export interface AgentOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly folder: string;
  readonly mode?: Mode | undefined;
  /** The arguments after `mcp`. */
  readonly args?: readonly string[] | undefined;
}

/** A connected agent. */
export class Agent {
  readonly client: Client;
  readonly #ended: Promise<number>;
  /** The program's lines outside of the protocol. */
  readonly said: string[];

  private constructor(client: Client, ended: Promise<number>, said: string[]) {
    this.client = client;
    this.#ended = ended;
    this.said = said;
  }

  static async connect({ env, folder, mode = "legacy", args = [] }: AgentOptions): Promise<Agent> {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const said: string[] = [];
    const ended = runProgram(["mcp", ...args], {
      env,
      folder,
      output: {},
      pipe: { input, output },
      signal: new AbortController().signal,
      print: (text) => void said.push(text),
      printError: (text) => void said.push(text),
    });
    const versionNegotiation = { mode: mode === "legacy" ? mode : { ...mode } } as const;
    const client = new Client({ name: "agent", version: "1.0.0" }, { versionNegotiation });
    await client.connect(transportOver(input, output));
    return new Agent(client, ended, said);
  }

  /** Calls a tool. */
  async call(name: string, args: Readonly<Record<string, unknown>> = {}): Promise<Called> {
    const { content, structuredContent, isError } = await this.client.callTool({ name, arguments: { ...args } });
    const [first] = content;
    const text = first?.type === "text" ? first.text : "";
    return { text, isError: isError === true, result: (structuredContent ?? {}) as Called["result"] };
  }

  /** Ends the connection. @returns the program's exit code */
  async close(): Promise<number> {
    await this.client.close();
    return this.#ended;
  }
}

/** One line per message, as on standard input and output. */
function transportOver(input: PassThrough, output: PassThrough): Parameters<Client["connect"]>[0] {
  let rest = "";
  const transport: Parameters<Client["connect"]>[0] = {
    async start() {
      output.on("data", (part: Buffer) => {
        const lines = `${rest}${part.toString()}`.split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) transport.onmessage?.(JSON.parse(line) as never);
      });
    },
    async send(message) {
      input.write(`${JSON.stringify(message)}\n`);
    },
    async close() {
      input.end();
      transport.onclose?.();
    },
  };
  return transport;
}
