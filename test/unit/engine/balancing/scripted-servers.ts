/** Workers of load balancing endpoints that a test scripts, with the answers to their health checks. */
import type { HealthProbe } from "../../../../emulator/balance/health-probe.ts";
import type {
  LaunchedWorker,
  Launcher,
  ServerAddress,
  WorkerExit,
  WorkerOrder,
} from "../../../../emulator/launch/launcher.ts";

export class ScriptedServer implements LaunchedWorker {
  readonly kind = "server";
  readonly order: WorkerOrder;
  readonly server: Promise<ServerAddress>;
  readonly #exited = Promise.withResolvers<WorkerExit>();
  /** Answer to its health check; undefined: it neither answers nor listens. */
  health: number | "hangs" | undefined;
  wasDrained = false;
  wasKilled = false;

  constructor(order: WorkerOrder, address: ServerAddress) {
    this.order = order;
    this.server = Promise.resolve(address);
  }

  get exited(): Promise<WorkerExit> {
    return this.#exited.promise;
  }

  /** Leaves on request only when the test calls `exits`. */
  drain(): void {
    this.wasDrained = true;
  }

  kill(): void {
    this.wasKilled = true;
    this.exits({ signal: "SIGKILL" });
  }

  exits(exit: Partial<WorkerExit> = {}): void {
    this.#exited.resolve({
      exitCode: undefined,
      signal: undefined,
      outOfMemory: false,
      startError: undefined,
      lastLogLines: [],
      ...exit,
    });
  }
}

/** Launcher and probe in one: the test has both ends. */
export class ScriptedServers implements Launcher, HealthProbe {
  readonly launched: ScriptedServer[] = [];
  readonly #portOf: (position: number) => number;
  readonly #firstHealth: number | undefined;

  /**
   * @param firstHealth the server's answer until the test sets another
   * @param portOf the server's port
   */
  constructor(firstHealth?: number, portOf: (position: number) => number = (at) => at + 1) {
    this.#firstHealth = firstHealth;
    this.#portOf = portOf;
  }

  refuses(): undefined {
    return undefined;
  }

  launch(order: WorkerOrder): ScriptedServer {
    const port = this.#portOf(this.launched.length);
    const server = new ScriptedServer(order, {
      port,
      healthPort: this.launched.length,
      healthPath: "/ping",
    });
    server.health = this.#firstHealth;
    this.launched.push(server);
    return server;
  }

  /** The health port is the position. */
  async ask({ healthPort }: ServerAddress, signal: AbortSignal): Promise<number | undefined> {
    const { health } = this.at(healthPort);
    if (health !== "hangs") return health;
    return new Promise((resolve) => {
      signal.addEventListener("abort", () => resolve(undefined));
    });
  }

  /** The server launched at `position`, from 0. */
  at(position: number): ScriptedServer {
    const server = this.launched[position];
    if (server === undefined) throw new Error(`only ${this.launched.length} servers were started`);
    return server;
  }

  async close(): Promise<void> {
    for (const server of this.launched) server.kill();
  }
}
