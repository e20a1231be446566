/** A launcher with workers that a test scripts: it records which were started, drained and killed. */
import type { EngineContext } from "../../../emulator/engine/parts/engine-parts.ts";
import type {
  Launcher,
  LaunchObstacle,
  WorkerExit,
  WorkerOrder,
} from "../../../emulator/launch/launcher.ts";
import { ScriptedWorker } from "../scripted-worker.ts";

/** An end without known details. */
export const exit: WorkerExit = {
  exitCode: undefined,
  signal: undefined,
  outOfMemory: false,
  startError: undefined,
  lastLogLines: [],
};

/** A worker that was started and has not connected yet. */
export class LaunchedScript {
  readonly kind = "process";
  readonly order: WorkerOrder;
  readonly #exited = Promise.withResolvers<WorkerExit>();
  wasDrained = false;
  wasKilled = false;
  isFrozen = false;
  /** Resident memory of its processes; undefined: unknown. */
  resident: number | undefined;

  readonly running?: Promise<void>;
  readonly obstacle: () => LaunchObstacle | undefined;
  readonly reloads: boolean;
  readonly speaksLate: boolean;

  constructor(
    order: WorkerOrder,
    running: Promise<void> | undefined,
    { reloads, speaksLate, obstacle }: ScriptedLauncher,
  ) {
    this.obstacle = () => obstacle;
    this.order = order;
    this.reloads = reloads;
    this.speaksLate = speaksLate;
    if (running) this.running = running;
  }

  get exited(): Promise<WorkerExit> {
    return this.#exited.promise;
  }

  drain(): void {
    this.wasDrained = true;
  }

  place() {
    return { pid: 4_711 };
  }

  async freeze(isFrozen: boolean): Promise<void> {
    this.isFrozen = isFrozen;
  }

  memoryBytes(): number | undefined {
    return this.resident;
  }

  /** Leaves, as it was asked to. */
  leave(): void {
    this.#exited.resolve({ ...exit, exitCode: 0 });
  }

  kill(): void {
    this.wasKilled = true;
    this.#exited.resolve({ ...exit, signal: "SIGKILL" });
  }

  /** Ends, with code 0 by default. */
  exit(how: Partial<WorkerExit> = { exitCode: 0 }): void {
    this.#exited.resolve({ ...exit, ...how });
  }

  /** Connects, is ready, and grants credit. */
  async connect(engine: EngineContext, credit = 1): Promise<ScriptedWorker> {
    const worker = engine.fleet.find(this.order.workerId);
    if (worker === undefined) throw new Error(`no worker ${this.order.workerId} is in the fleet`);
    const scripted = new ScriptedWorker(engine, worker);
    await scripted.greet(credit);
    return scripted;
  }
}

export class ScriptedLauncher implements Launcher {
  needsKnownGpus = false;
  /** Gate of the next workers before their programs run. */
  preparing: Promise<void> | undefined;
  /** Whether the next workers can load a new version of their handler on request. */
  reloads = false;
  /** Whether the next workers may be silent before they can take jobs. */
  speaksLate = false;
  /** What keeps the programs of the next workers from running. */
  obstacle: LaunchObstacle | undefined;
  refusal: string | undefined;
  readonly launched: LaunchedScript[] = [];

  refuses(): string | undefined {
    return this.refusal;
  }

  launch(order: WorkerOrder): LaunchedScript {
    const script = new LaunchedScript(order, this.preparing, this);
    this.launched.push(script);
    return script;
  }

  /** The worker launched at `position`, from 0. */
  at(position: number): LaunchedScript {
    const script = this.launched[position];
    if (script === undefined) throw new Error(`only ${this.launched.length} workers were started`);
    return script;
  }

  async close(): Promise<void> {
    for (const script of this.launched) script.kill();
  }
}
