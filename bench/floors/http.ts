/** Floor: a bare node:http server in a process of its own. */
import { z } from "zod";
import { Program } from "../asking.ts";

export interface BareServer extends AsyncDisposable {
  readonly origin: string;
  readonly pid: number;
}

export async function startBareServer(): Promise<BareServer> {
  const program = new Program("http-echo");
  const origin = await program.ask(z.string(), {});
  const { pid } = program;
  return { origin, pid, [Symbol.asyncDispose]: () => program[Symbol.asyncDispose]() };
}
