/** A small world of endpoints around the pool of GPUs, which checks the pool's decisions by its own records. */
import assert from "node:assert/strict";
import type { Endpoint } from "../../../../../emulator/core/resources/endpoints/endpoint.ts";
import type {
  GpuDevice,
  GpuInventory,
} from "../../../../../emulator/core/workers/gpu-allocation.ts";
import type { DeviceLock } from "../../../../../emulator/core/workers/device-lock.ts";
import { type GpuGrant, GpuPool } from "../../../../../emulator/engine/workers/gpus/gpu-pool.ts";
import { localEndpoint } from "../../../../../emulator/handlers/local-endpoint.ts";
import { type Answer, type Asker, KEEP_MS, type Step } from "./gpu-steps.ts";
import { WorldClock } from "../../world-clock.ts";

/** Value of docs/scaling.md. */
const PASSES_MAX = 4;
const LACKS = /not enough are free|this machine has|are reserved for|another emul/u;

export class GpuWorld {
  readonly #devices: readonly GpuDevice[];
  readonly #endpoints: readonly (Endpoint & Asker)[];
  readonly #pool: GpuPool;
  readonly #held = new Map<string, readonly GpuDevice[]>();
  /** The owner of a worker. */
  readonly #owners = new Map<string, Endpoint & Asker>();
  /** Workers that still wait, with the times at which others passed them. */
  readonly #waiting = new Map<string, number[]>();
  readonly #woken = new Set<string>();
  readonly #clock = new WorldClock();
  /** Devices of another emulator, and devices locked by this one. */
  readonly #elsewhere = new Set<string>();
  readonly #locked = new Set<string>();
  #found: Answer | undefined;
  #answer: ((inventory: GpuInventory) => void) | undefined;
  #workers = 0;

  constructor(devices: readonly GpuDevice[], askers: readonly Asker[]) {
    this.#devices = devices;
    this.#endpoints = askers.map((wish, id) => ({
      ...localEndpoint({ id: String(id) }, ""),
      computeType: "GPU",
      ...wish,
    }));
    this.#pool = new GpuPool({
      find: () => new Promise((resolve) => (this.#answer = resolve)),
      lock: (id) => this.#lock(id),
      wake: (endpointId) => this.#woken.add(endpointId),
      clock: this.#clock,
      log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    });
  }

  /** Maximum number of workers that had devices at once. */
  mostAtOnce = 0;
  /** Number of reservations for workers that were passed too often. */
  kept = 0;

  async play(steps: readonly Step[]): Promise<void> {
    for (const step of steps) {
      await this.#step(step);
      const held = [...this.#held.values()].flat().filter(({ isSimulated }) => !isSimulated);
      assert.deepEqual(this.#locked, new Set(held.map(({ id }) => id)));
      this.#somebodyIsWokenForWhatIsFree();
    }
  }

  async #step(step: Step): Promise<void> {
    switch (step.do) {
      case "take":
        this.#take(this.#endpoint(step.asker));
        return;
      case "fail to start": {
        const worker = this.#take(this.#endpoint(step.asker));
        if (worker !== undefined) this.#release(worker);
        return;
      }
      case "leave": {
        const { id } = this.#endpoint(step.asker);
        this.#waiting.delete(id);
        this.#woken.delete(id);
        this.#pool.leave(id);
        return;
      }
      case "release":
      case "replace": {
        const worker = this.#workerAt(step.worker) ?? "never started";
        const owner = this.#owners.get(worker);
        this.#release(worker);
        if (owner && step.do === "replace") this.#take(owner);
        return;
      }
      case "answer":
        return this.#answerWith(step.with);
      case "serve woken":
        this.#serveWoken();
        return;
      case "pass":
        this.#clock.pass(step.ms);
        return;
      case "elsewhere":
        this.#isElsewhere(step.devices);
    }
  }

  #isElsewhere(positions: readonly number[]): void {
    this.#elsewhere.clear();
    for (const at of positions) {
      const { id = "" } = this.#devices[at] ?? {};
      if (!this.#locked.has(id)) this.#elsewhere.add(id);
    }
    // Time after which returned devices are tried again.
    this.#clock.pass(1_000);
  }

  #lock(id: string): DeviceLock | undefined {
    if (this.#elsewhere.has(id)) return undefined;
    assert.ok(!this.#locked.has(id), `${id} is locked twice`);
    this.#locked.add(id);
    return { release: () => void this.#locked.delete(id) };
  }

  /** After enough quiet time no worker waits for free devices; after the end of all, none waits at all. */
  finish(): void {
    if (this.#found !== "known") return;
    const rounds = this.#endpoints.length + 1;
    this.#elsewhere.clear();
    for (let round = 0; round < rounds; round += 1) {
      this.#clock.pass(KEEP_MS);
      this.#serveWoken();
    }
    const free = this.#freeDevices();
    const fits = this.#waitingFor().filter((one) => firstFitting(free, one) !== undefined);
    assert.deepEqual(fits, [], "devices are idle for ever");
    for (let round = 0; round < rounds; round += 1) {
      for (const worker of [...this.#held.keys()]) this.#release(worker);
      this.#serveWoken();
    }
    const starved = this.#waitingFor().filter((one) => firstFitting(this.#devices, one));
    assert.deepEqual(starved, [], "somebody waits for ever");
  }

  #waitingFor(): readonly Asker[] {
    return [...this.#waiting.keys()].map((id) => this.#endpoint(Number(id)));
  }

  #endpoint(number: number): Endpoint & Asker {
    const endpoint = this.#endpoints[number % this.#endpoints.length];
    assert.ok(endpoint);
    return endpoint;
  }

  /** A worker that got what it needs. */
  #take(endpoint: Endpoint & Asker): string | undefined {
    const worker = `w${(this.#workers += 1)}`;
    this.#woken.delete(endpoint.id);
    const expected = this.#choose(endpoint);
    const grant = this.#pool.take(endpoint, worker, endpoint.mustBeKnown);
    if ("lack" in grant) {
      this.#isRefusedWithReason(endpoint, grant, expected);
      if (!this.#waiting.has(endpoint.id)) this.#waiting.set(endpoint.id, []);
      return undefined;
    }
    this.#passesOthers(endpoint, grant.devices);
    this.#waiting.delete(endpoint.id);
    assert.notEqual(this.#found, undefined, "nothing is given before the GPUs were looked for");
    const taken = new Set([...this.#held.values()].flat().map(({ id }) => id));
    for (const { id } of grant.devices) assert.ok(!taken.has(id), `${id} has another worker`);
    assert.equal(new Set(grant.devices).size, grant.devices.length);
    if (this.#found === "unknown")
      assert.deepEqual([endpoint.mustBeKnown, grant.devices], [false, []]);
    else assert.equal(grant.devices.length, endpoint.gpuCount);
    if (this.#found === "known") assert.deepEqual(grant.devices, expected);
    this.#held.set(worker, grant.devices);
    this.#owners.set(worker, endpoint);
    this.mostAtOnce = Math.max(this.mostAtOnce, this.#held.size);
    return worker;
  }

  #isRefusedWithReason(
    endpoint: Endpoint & Asker,
    { lack }: Extract<GpuGrant, { lack: unknown }>,
    servable: readonly GpuDevice[] | undefined,
  ): void {
    if (this.#found === undefined) return assert.equal(lack, undefined);
    if (this.#found === "unknown") {
      assert.match(lack ?? "", /none is known here/u);
      return assert.ok(endpoint.mustBeKnown);
    }
    assert.equal(this.#found, "known", "whoever may have simulated ones is never refused");
    const isMistaken = this.#elsewhere.size > 0 && lack === undefined;
    if (servable === undefined && !isMistaken) assert.match(lack ?? "", LACKS);
    else {
      // Other workers came before.
      assert.equal(lack, undefined);
      const isServable = (id: string) => isMistaken || this.#choose(this.#endpoint(Number(id)));
      assert.ok([...this.#woken].some(isServable));
    }
  }

  /** No waiting worker is passed by more than a few, unless devices were reserved for it and others kept theirs. */
  #passesOthers({ id }: Endpoint, given: readonly GpuDevice[]): void {
    if (this.#found !== "known") return;
    const now = this.#clock.now();
    for (const [other, passes] of this.#waiting) {
      if (other === id) return;
      const useful = new Set(this.#usefulTo(this.#endpoint(Number(other))));
      if (!given.some((one) => useful.has(one))) continue;
      const before = passes.at(-1);
      if (before !== undefined && passes.length % PASSES_MAX === 0)
        assert.ok(now >= before + KEEP_MS, `${other} is passed too often`);
      passes.push(now);
      if (passes.length % PASSES_MAX === 0) this.kept += 1;
    }
  }

  /** The devices that it could get one day. */
  #usefulTo(asker: Asker): readonly GpuDevice[] {
    const ofType = (type: string) => this.#devices.filter(({ typeId }) => typeId === type);
    return wantedTypes(this.#devices, asker)
      .map(ofType)
      .filter(({ length }) => length >= asker.gpuCount)
      .flat();
  }

  #isKeptFor(id: string): boolean {
    const passes = this.#waiting.get(id) ?? [];
    const last = passes.at(-1);
    const isDue = last !== undefined && passes.length % PASSES_MAX === 0;
    return isDue && this.#clock.now() < last + KEEP_MS;
  }

  /** The first type by priority with enough devices that are free and not reserved for an earlier waiter. */
  #choose(endpoint: Endpoint & Asker): readonly GpuDevice[] | undefined {
    const line = [...this.#waiting.keys()];
    const place = line.indexOf(endpoint.id);
    const before = (place === -1 ? line : line.slice(0, place)).filter((id) => this.#isKeptFor(id));
    const kept = new Set(before.flatMap((id) => this.#usefulTo(this.#endpoint(Number(id)))));
    return firstFitting(
      this.#freeDevices().filter((one) => !kept.has(one)),
      endpoint,
    );
  }

  #freeDevices(): readonly GpuDevice[] {
    const taken = new Set([...this.#held.values()].flat());
    return this.#devices.filter((one) => !taken.has(one) && !this.#elsewhere.has(one.id));
  }

  #workerAt(position: number): string | undefined {
    const workers = [...this.#held.keys()];
    return workers[position % workers.length];
  }

  #release(worker: string): void {
    this.#held.delete(worker);
    this.#pool.release(worker);
  }

  async #answerWith(kind: Answer): Promise<void> {
    if (this.#answer === undefined) return;
    const inventories = {
      known: { kind: "known", devices: this.#devices },
      unknown: { kind: "unknown", reason: "no driver" },
      simulated: { kind: "simulated" },
    } as const;
    this.#answer(inventories[kind]);
    this.#answer = undefined;
    this.#found = kind;
    await Promise.resolve();
    await Promise.resolve();
  }

  /** Serving one worker may wake others. */
  #serveWoken(): void {
    for (const id of this.#woken) {
      if (this.#waiting.has(id)) this.#take(this.#endpoint(Number(id)));
      else this.#woken.delete(id);
    }
  }

  /** Otherwise they would wait forever. */
  #somebodyIsWokenForWhatIsFree(): void {
    if (this.#found !== "known") return;
    const isServable = (id: string) => this.#choose(this.#endpoint(Number(id))) !== undefined;
    const servable = [...this.#waiting.keys()].filter(isServable);
    // A worker that is woken for another emulator's device finds that out, and the next one is woken.
    const mayBeMistaken = this.#elsewhere.size > 0 ? [...this.#waiting.keys()] : servable;
    const isSomebodyWoken = mayBeMistaken.some((id) => this.#woken.has(id));
    assert.ok(servable.length === 0 || isSomebodyWoken, `${servable.join()} wait for nothing`);
  }
}

function wantedTypes(devices: readonly GpuDevice[], { gpuTypeIds }: Asker): readonly string[] {
  return gpuTypeIds.length > 0 ? gpuTypeIds : [...new Set(devices.map(({ typeId }) => typeId))];
}

function firstFitting(free: readonly GpuDevice[], asker: Asker): readonly GpuDevice[] | undefined {
  const groups = wantedTypes(free, asker).map((id) => free.filter(({ typeId }) => typeId === id));
  return groups.find(({ length }) => length >= asker.gpuCount)?.slice(0, asker.gpuCount);
}
