/** Redirects traffic over a network namespace's link to 127.0.0.1, at the same port: on this machine, and in the namespace. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { NetworkNamespace } from "./network-namespace.ts";

type Run = (program: string, ...args: readonly string[]) => Promise<unknown>;

/** Needs root and iptables. Redirects in the namespace go with it. */
export async function leadToLoopback({ under, link }: NetworkNamespace): Promise<AsyncDisposable> {
  const [enter = "", ...entering] = under;
  const here: Run = (program, ...args) => promisify(execFile)(program, [...args]);
  const there: Run = (...command) => here(enter, ...entering, ...command);
  await lead(there, link.there);
  await lead(here, link.here);
  return {
    [Symbol.asyncDispose]: async () =>
      void (await here("iptables", ...rule("--delete", link.here))),
  };
}

async function lead(run: Run, link: string): Promise<void> {
  // Otherwise the kernel drops traffic over a link to a loopback address.
  await run("sh", "-c", `echo 1 >/proc/sys/net/ipv4/conf/${link}/route_localnet`);
  await run("iptables", ...rule("--append", link));
}

function rule(how: "--append" | "--delete", link: string): readonly string[] {
  const target = ["-j", "DNAT", "--to-destination", "127.0.0.1"];
  return ["-t", "nat", how, "PREROUTING", "-i", link, "-p", "tcp", ...target];
}
