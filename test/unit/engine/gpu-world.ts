/** A small world of endpoints and workers around the pool of GPUs, which checks by its own account what the pool gives. */
import assert from "node:assert/strict";
import fc from "fast-check";
import type { Endpoint } from "../../../emulator/core/endpoint.ts";
import type { GpuDevice, GpuInventory } from "../../../emulator/core/gpu-allocation.ts";
import { type GpuGrant, GpuPool } from "../../../emulator/engine/gpu-pool.ts";
import { localEndpoint } from "../../../emulator/local-endpoint.ts";

export interface Asker {
  readonly gpuTypeIds: readonly string[];
  readonly gpuCount: number;
  /** Whether its workers are containers. */
  readonly mustBeKnown: boolean;
}

/** What is found when the GPUs are looked for. */
type Answer = GpuInventory["kind"];

export type Step =
  | { readonly do: "take" | "fail to start" | "leave"; readonly asker: number }
  | { readonly do: "release"; readonly worker: number }
  | { readonly do: "answer"; readonly with: Answer }
  | { readonly do: "pass"; readonly ms: number }
  /** Whoever was woken is considered, and takes. */
  | { readonly do: "serve woken" };

const TYPES = ["X", "Y", "Z"];

export const anyDevices = fc
  .array(fc.constantFrom(...TYPES), { minLength: 1, maxLength: 8 })
  .map((types) => types.map((typeId, id) => device(String(id), typeId)));

export const anyAskers = fc.array(
  fc.record({
    gpuTypeIds: fc.subarray(TYPES).chain((types) => fc.shuffledSubarray(types)),
    gpuCount: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 8 })),
    mustBeKnown: fc.boolean(),
  }),
  { minLength: 1, maxLength: 4 },
);

const asker = fc.nat({ max: 3 });

export const anySteps = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.record({ do: fc.constant("take" as const), asker }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("fail to start" as const), asker }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("leave" as const), asker }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constant("release" as const), worker: fc.nat() }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constant("serve woken" as const) }) },
    { weight: 2, arbitrary: answers("known", "unknown") },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("pass" as const), ms: minutes() }) },
  ),
  { maxLength: 40, size: "max" },
);

export function device(id: string, typeId: string): GpuDevice {
  return { id, typeId, isSimulated: false };
}

function answers(...kinds: readonly Answer[]) {
  return fc.record({ do: fc.constant("answer" as const), with: fc.constantFrom(...kinds) });
}

function minutes() {
  return fc.integer({ min: 1, max: 120_000 });
}

export class GpuWorld {
  readonly #devices: readonly GpuDevice[];
  readonly #endpoints: readonly (Endpoint & Asker)[];
  readonly #pool: GpuPool;
  readonly #held = new Map<string, readonly GpuDevice[]>();
  /** Who was refused and has not been served or gone since. */
  readonly #waiting = new Set<string>();
  readonly #woken = new Set<string>();
  #found: Answer | undefined;
  #answer: ((inventory: GpuInventory) => void) | undefined;
  #now = 0;
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
      wake: (endpointId) => this.#woken.add(endpointId),
      now: () => this.#now,
      log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    });
  }

  /** The most workers that had devices at once. */
  mostAtOnce = 0;

  async play(steps: readonly Step[]): Promise<void> {
    for (const step of steps) {
      await this.#step(step);
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
      case "release": {
        const workers = [...this.#held.keys()];
        this.#release(workers[step.worker % workers.length] ?? "never started");
        return;
      }
      case "answer":
        return this.#answerWith(step.with);
      case "serve woken":
        this.#serveWoken();
        return;
      case "pass":
        this.#now += step.ms;
    }
  }

  #endpoint(number: number): Endpoint & Asker {
    const endpoint = this.#endpoints[number % this.#endpoints.length];
    assert.ok(endpoint);
    return endpoint;
  }

  /** The worker that was given what it needs. */
  #take(endpoint: Endpoint & Asker): string | undefined {
    const worker = `w${(this.#workers += 1)}`;
    this.#woken.delete(endpoint.id);
    const expected = this.#choose(endpoint);
    const grant = this.#pool.take(endpoint, worker, endpoint.mustBeKnown);
    if ("lack" in grant) {
      this.#isRefusedWithReason(endpoint, grant, expected);
      this.#waiting.add(endpoint.id);
      return undefined;
    }
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
    if (servable === undefined) assert.match(lack ?? "", /not enough are free|this machine has/u);
    else {
      // Others were there before.
      assert.equal(lack, undefined);
      assert.ok([...this.#woken].some((id) => this.#choose(this.#endpoint(Number(id)))));
    }
  }

  /** The first type by priority with enough that no worker has. */
  #choose({ gpuTypeIds, gpuCount }: Asker): readonly GpuDevice[] | undefined {
    const taken = new Set([...this.#held.values()].flat());
    const free = this.#devices.filter((one) => !taken.has(one));
    const types = gpuTypeIds.length > 0 ? gpuTypeIds : [...new Set(free.map((one) => one.typeId))];
    const groups = types.map((type) => free.filter(({ typeId }) => typeId === type));
    return groups.find(({ length }) => length >= gpuCount)?.slice(0, gpuCount);
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

  /** Serving one may wake others, who come next. */
  #serveWoken(): void {
    for (const id of this.#woken) {
      if (this.#waiting.has(id)) this.#take(this.#endpoint(Number(id)));
      else this.#woken.delete(id);
    }
  }

  /** Or else they would wait for ever. */
  #somebodyIsWokenForWhatIsFree(): void {
    if (this.#found !== "known") return;
    const isServable = (id: string) => this.#choose(this.#endpoint(Number(id))) !== undefined;
    const servable = [...this.#waiting].filter(isServable);
    const isSomebodyWoken = servable.some((id) => this.#woken.has(id));
    assert.ok(servable.length === 0 || isSomebodyWoken, `${servable.join()} wait for nothing`);
  }
}
