/** Emulators on one database, each with its own connection to it; one that ends is started again. */
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { LeapingClock } from "../../setup/fake-time.ts";
import { freePort } from "../../setup/free-port.ts";
import type { NetworkNamespace } from "../../setup/network-namespace.ts";
import { startTcpProxy, type TcpProxy } from "../../setup/tcp-proxy.ts";
import type { CrashScene } from "../crash/crash-scene.ts";
import { KillableEmulator } from "../crash/killable-emulator.ts";
import { eventually } from "../jobs/observe.ts";
import type { SeededRandom } from "../crash/seeded-random.ts";

export interface FleetOptions {
  readonly scene: CrashScene;
  /** Address of the database. */
  readonly store: string;
  /** Number of emulators. */
  readonly seats: number;
  /** Number of emulators that run at a time; another one replaces one that has ended or is frozen. */
  readonly atOnce: number;
  /** Further arguments of the emulator at `url`. */
  readonly args: (url: string) => readonly string[];
  readonly random: SeededRandom;
  /** The clocks of each emulator, by its number; by default those of this machine. */
  readonly clocks?: ((seat: number) => LeapingClock | undefined) | undefined;
  /** The machine of the first emulator; by default the same as the others. */
  readonly namespace?: NetworkNamespace | undefined;
}

const LOOPBACK = "127.0.0.1";
const SECRET_KEY = Buffer.alloc(32, 7).toString("base64");
/** Pause after a failed start, ms. */
const AGAIN_MS = 200;
const PRINTED_SHOWN = 6_000;

/** The place of one emulator: it has the same address in all its lives. */
export class Seat implements AsyncDisposable {
  readonly number: number;
  readonly url: string;
  /** Its connection to the database. */
  readonly door: TcpProxy;
  readonly #options: FleetOptions;
  readonly #namespace: NetworkNamespace | undefined;
  /** The clocks of its machine, which may leap. */
  readonly clock: LeapingClock | undefined;
  #emulator: KillableEmulator | undefined;
  #before = "";
  #abandoned = Promise.withResolvers<void>();
  #isTaken = false;
  isReady = false;
  /** A fault is under way here: another fault must choose another place. */
  isStruck = false;
  /** Whether the test asked for the end of the process, or allows it. */
  mayEnd = false;

  private constructor(
    number: number,
    host: string,
    port: number,
    door: TcpProxy,
    options: FleetOptions,
  ) {
    this.number = number;
    this.url = `http://${host}:${port}`;
    this.door = door;
    this.#options = options;
    this.#namespace = number === 0 ? options.namespace : undefined;
    this.clock = options.clocks?.(number);
  }

  static async make(number: number, options: FleetOptions): Promise<Seat> {
    const { namespace, store } = options;
    const isInside = number === 0 && namespace !== undefined;
    const host = isInside ? namespace.inside : (namespace?.outside ?? LOOPBACK);
    const beyond = isInside ? namespace.beyondTheCut : LOOPBACK;
    const door = await startTcpProxy(Number(new URL(store).port), beyond);
    return new Seat(number, host, await freePort(), door, options);
  }

  /** Cuts the emulator off from the database; data sent during the cut is not lost. */
  async cut(): Promise<void> {
    if (this.#namespace === undefined) this.door.hold();
    else await this.#namespace.cut();
  }

  async heal(): Promise<void> {
    if (this.#namespace === undefined) this.door.letGo();
    else await this.#namespace.heal();
  }

  get isIdle(): boolean {
    return !this.#isTaken;
  }

  get emulator(): KillableEmulator {
    if (this.#emulator === undefined) throw new Error(`emulator ${this.number} was not started`);
    return this.#emulator;
  }

  /** The output of its emulators, one after another. */
  get said(): string {
    return this.#before + (this.#emulator?.printed ?? "");
  }

  /** The last lines of the output. */
  get saidLast(): string {
    return this.said.slice(-PRINTED_SHOWN);
  }

  /**
   * One life of an emulator. Resolves when it has ended or was abandoned.
   * @param onEnd called after an unexpected end
   */
  async live(onEnd: (says: string) => void): Promise<void> {
    this.#isTaken = true;
    this.mayEnd = false;
    this.#abandoned = Promise.withResolvers();
    const emulator = this.#start();
    await Promise.race([this.#untilItsEnd(emulator, onEnd), this.#abandoned.promise]);
  }

  /** Another emulator is started in its place, although its process exists. */
  abandon(): void {
    this.mayEnd = true;
    this.#abandoned.resolve();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#emulator?.[Symbol.asyncDispose]();
    await this.door[Symbol.asyncDispose]();
  }

  #start(): KillableEmulator {
    const { scene, store, args } = this.#options;
    const { hostname, port } = new URL(this.url);
    const address = new URL(store);
    address.host = this.door.address;
    const dataDir = path.join(path.dirname(scene.config), `data-${this.number}`);
    const place = ["--data-dir", dataDir, "--host", hostname, "--local-webhooks", "on"];
    this.#before = this.said;
    this.#emulator = new KillableEmulator({
      config: scene.config,
      port: Number(port),
      args: [...place, ...args(this.url)],
      under: this.#namespace?.under ?? [],
      env: { ...this.clock?.env, SV_STORE: address.href, SV_SECRET_KEY: SECRET_KEY },
    });
    return this.#emulator;
  }

  async #untilItsEnd(emulator: KillableEmulator, onEnd: (says: string) => void): Promise<void> {
    const wasReady = await emulator.ready.then(
      () => (this.isReady = true),
      () => false,
    );
    const { code, signal } = await emulator.ended;
    this.isReady = false;
    if (wasReady && !this.mayEnd) onEnd(`code ${code}, signal ${signal}\n${this.saidLast}`);
    this.#isTaken = false;
  }
}

export class Fleet implements AsyncDisposable {
  readonly seats: readonly Seat[];
  readonly #options: FleetOptions;
  #isOver = false;
  #keeping: Promise<unknown> = Promise.resolve();

  private constructor(seats: readonly Seat[], options: FleetOptions) {
    this.seats = seats;
    this.#options = options;
  }

  static async make(options: FleetOptions): Promise<Fleet> {
    const seats: Seat[] = [];
    while (seats.length < options.seats) seats.push(await Seat.make(seats.length, options));
    return new Fleet(seats, options);
  }

  /** Keeps the wanted number running from now on. `onDeath` is called after each unexpected end. */
  begin(onDeath: (seat: number, says: string) => void): void {
    const { atOnce } = this.#options;
    this.#keeping = Promise.all(Array.from({ length: atOnce }, () => this.#keep(onDeath)));
  }

  /** Whether another emulator may start while the wanted number runs. */
  get hasSpare(): boolean {
    return this.#options.atOnce < this.seats.length;
  }

  /** Reserves a running emulator without another fault; undefined if there is none. */
  strike(): Seat | undefined {
    const up = this.seats.filter((seat) => seat.isReady && !seat.isStruck);
    const seat = up[this.#options.random.integer(0, up.length - 1)];
    if (seat !== undefined) seat.isStruck = true;
    return seat;
  }

  /**
   * Waits until the wanted number runs, not counting `except`.
   * @throws Error after `limitMs` with the last output of all
   */
  async isWhole(limitMs: number, except?: Seat): Promise<void> {
    const look = () => {
      const up = this.seats.filter((seat) => seat.isReady && seat !== except);
      return this.#isOver || up.length >= this.#options.atOnce ? true : undefined;
    };
    try {
      await eventually("the fleet is whole", look, limitMs);
    } catch (cause) {
      const said = this.seats.map((seat) => `emulator ${seat.number}: ${seat.saidLast}`);
      throw new Error(["the fleet is not whole", ...said].join("\n"), { cause });
    }
  }

  /** The exit codes when all were stopped in order. */
  async stop(): Promise<readonly (number | null)[]> {
    this.#isOver = true;
    const up = this.seats.filter((seat) => !seat.isIdle);
    for (const seat of up) seat.mayEnd = true;
    const codes = await Promise.all(up.map((seat) => seat.emulator.stop()));
    await this.#keeping;
    return codes;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    for (const seat of this.seats) {
      seat.mayEnd = true;
      await seat[Symbol.asyncDispose]();
    }
    await this.#keeping;
  }

  async #keep(onDeath: (seat: number, says: string) => void): Promise<void> {
    while (!this.#isOver) {
      const idle = this.seats.filter((seat) => seat.isIdle);
      const seat = idle[this.#options.random.integer(0, idle.length - 1)];
      await seat?.live((says) => onDeath(seat.number, says));
      await delay(AGAIN_MS);
    }
  }
}
