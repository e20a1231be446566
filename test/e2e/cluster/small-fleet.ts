/** Replicas of any build on one database, and clients that ask any of them until one answers. */
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "../../setup/free-port.ts";
import { temporaryTree, type TemporaryTree } from "../../temporary-tree.ts";
import { SECRET_KEY, type ShownJob } from "../database/on-database.ts";
import { type EmulatorProcess, startEmulatorProcess } from "../emulator-process.ts";
import { eventually } from "../jobs/observe.ts";

const NAMES = ["a", "b", "c", "d"];
const HANDLER =
  "export const concurrency = 4; export default async ({ input }) => { await new Promise((go) => setTimeout(go, 20)); return input; };";
const KEY = "key-of-the-fleet";
const LIMIT_MS = 60_000;

/** The answers that clients got. */
export class Tally {
  readonly acknowledged: { readonly endpoint: string; readonly id: string }[] = [];
  /** Number of answers per status other than 200; 0: a broken or refused connection. */
  readonly others: Record<number, number> = {};
}

export class SmallFleet implements AsyncDisposable {
  readonly #ports: readonly number[];
  readonly #tree: TemporaryTree;
  readonly #args: readonly string[];
  readonly #running = new Map<number, EmulatorProcess>();
  store: string;

  private constructor(store: string, ports: number[], tree: TemporaryTree, args: string[]) {
    this.store = store;
    this.#ports = ports;
    this.#tree = tree;
    this.#args = args;
  }

  static async make(store: string, count: number, args: string[] = []): Promise<SmallFleet> {
    const files: Record<string, string> = {};
    for (const name of NAMES) files[`handlers/${name}/handler.js`] = HANDLER;
    const ports: number[] = [];
    while (ports.length < count) ports.push(await freePort());
    return new SmallFleet(store, ports, await temporaryTree(files), args);
  }

  /** @param program by default the one built here */
  async start(seat: number, program?: string): Promise<EmulatorProcess> {
    const url = this.#urlOf(seat);
    const place = ["--port", String(this.#ports[seat]), "--data-dir", `data-${seat}`];
    const emulator = await startEmulatorProcess({
      args: ["handlers", ...place, "--advertise", url, "--log", "json", ...this.#args],
      cwd: this.#tree.root,
      env: { SV_STORE: this.store, SV_SECRET_KEY: SECRET_KEY, SV_LIMITS: "off", SV_API_KEY: KEY },
      ...(program !== undefined && { program }),
    });
    this.#running.set(seat, emulator);
    return emulator;
  }

  async stop(seat: number): Promise<number | null | undefined> {
    const ended = await this.#running.get(seat)?.stop();
    this.#running.delete(seat);
    return ended?.code;
  }

  /** Submits job after job until `signal` aborts, to any replica that answers. */
  async load(signal: AbortSignal, tally: Tally, clients = 4): Promise<void> {
    await Promise.all(
      Array.from({ length: clients }, async (_, client) => {
        for (let n = client; !signal.aborted; n += 1) {
          const endpoint = NAMES[n % NAMES.length] ?? "";
          const answer = await this.ask(n, `/v2/${endpoint}/run`, { input: { n, client } });
          if (answer.status === 200) tally.acknowledged.push({ endpoint, id: answer.job.id });
          else tally.others[answer.status] = (tally.others[answer.status] ?? 0) + 1;
          await delay(answer.status === 200 ? 10 : 200);
        }
      }),
    );
  }

  /**
   * Waits until each acknowledged job is done.
   * @throws Error for a missing job
   */
  async allDone({ acknowledged }: Tally): Promise<void> {
    let asked = 0;
    for (const { endpoint, id } of acknowledged)
      await eventually(
        `${id} is done`,
        async () => {
          asked += 1;
          const { status, job } = await this.ask(asked, `/v2/${endpoint}/status/${id}`);
          if (status === 404) throw new Error(`${id} was acknowledged and is not there`);
          return job.status === "COMPLETED" ? true : undefined;
        },
        LIMIT_MS,
      );
  }

  /** Asks one of the replicas; status 0 without an answer. */
  async ask(which: number, path: string, body?: unknown) {
    const seat = which % this.#ports.length;
    try {
      const answer = await fetch(`${this.#urlOf(seat)}${path}`, {
        method: body === undefined ? "GET" : "POST",
        headers: { authorization: `Bearer ${KEY}` },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return { status: answer.status, job: (await answer.json()) as ShownJob };
    } catch {
      return { status: 0, job: { id: "", status: "" } };
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const emulator of this.#running.values()) await emulator[Symbol.asyncDispose]();
    await this.#tree[Symbol.asyncDispose]();
  }

  #urlOf(seat: number): string {
    return `http://127.0.0.1:${this.#ports[seat]}`;
  }
}
