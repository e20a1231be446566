/**
 * A network namespace for one program, with two links to this machine. One link can be cut: traffic over it is
 * then dropped without notice. The namespace goes with its last process, however this process ends.
 */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { promisify } from "node:util";
import { whatIsMissing } from "./debian-program.ts";

/** Reason that there are no namespaces here; undefined if there are. Under CI they are never missing. */
export const namespaceIsMissing: string | undefined = whatIsMissing("tests that cut a network", [
  "ip",
]);

export interface NetworkNamespace extends AsyncDisposable {
  /** Command that runs a program in it. */
  readonly under: readonly string[];
  /** The link that cannot be cut: the names of its ends, here and in the namespace. */
  readonly link: { readonly here: string; readonly there: string };
  /** Its address for this machine. */
  readonly inside: string;
  /** This machine's address for programs in it. */
  readonly outside: string;
  /** Address over the link that can be cut. */
  readonly beyondTheCut: string;
  /** @param side the end of the link that goes down: this machine's, or the namespace's */
  cut(side?: "here" | "there"): Promise<void>;
  /** Dropped data arrives soon after, because the sender repeats it. */
  heal(): Promise<void>;
}

export interface NamespaceOptions {
  /** Mounts of programs in it are seen there alone, and go with it. */
  readonly ownMounts?: boolean;
}

export async function makeNetworkNamespace({
  ownMounts = false,
}: NamespaceOptions = {}): Promise<NetworkNamespace> {
  const kinds = ownMounts ? ["--net", "--mount"] : ["--net"];
  // This program holds the namespace until its standard input ends.
  const holder = spawn("unshare", [...kinds, "cat"], { stdio: ["pipe", "pipe", "inherit"] });
  const { pid } = holder;
  if (pid === undefined) throw new Error("a network namespace could not be made");
  holder.stdin.write("\n");
  await once(holder.stdout, "data");
  const net = `10.213.${pid % 256}`;
  const [front, back] = [`svf${pid}`, `svb${pid}`];
  const under = ["nsenter", `--target=${pid}`, ...kinds];
  const within = async (...args: string[]) => run("nsenter", [...under.slice(1), "ip", ...args]);
  const link = async (name: string, here: string, there: string) => {
    const peer = `${name}p`;
    await run("ip", ["link", "add", name, "type", "veth", "peer", "name", peer]);
    await run("ip", ["link", "set", peer, "netns", String(pid)]);
    await run("ip", ["addr", "add", `${here}/30`, "dev", name]);
    await run("ip", ["link", "set", name, "up"]);
    await within("addr", "add", `${there}/30`, "dev", peer);
    await within("link", "set", peer, "up");
  };
  const end = async () => {
    // A link disappears by itself when its other end is unused, but not at once.
    for (const name of [front, back]) await run("ip", ["link", "delete", name]).catch(() => "");
    holder.stdin.end();
    await once(holder, "exit");
  };
  try {
    await within("link", "set", "lo", "up");
    await link(front, `${net}.1`, `${net}.2`);
    await link(back, `${net}.5`, `${net}.6`);
  } catch (error) {
    await end();
    throw error;
  }
  return {
    under,
    link: { here: front, there: `${front}p` },
    inside: `${net}.2`,
    outside: `${net}.1`,
    beyondTheCut: `${net}.5`,
    cut: (side = "here") =>
      side === "here"
        ? run("ip", ["link", "set", back, "down"])
        : within("link", "set", `${back}p`, "down"),
    async heal() {
      await run("ip", ["link", "set", back, "up"]);
      await within("link", "set", `${back}p`, "up");
    },
    [Symbol.asyncDispose]: end,
  };
}

async function run(program: string, args: readonly string[]): Promise<void> {
  await promisify(execFile)(program, [...args]);
}
