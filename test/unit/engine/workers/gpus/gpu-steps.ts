/** Arbitraries of endpoints and events for the world around the GPU pool. */
import fc from "fast-check";
import type {
  GpuDevice,
  GpuInventory,
} from "../../../../../emulator/core/workers/gpu-allocation.ts";

export interface Asker {
  readonly gpuTypeIds: readonly string[];
  readonly gpuCount: number;
  /** Whether its workers are containers. */
  readonly mustBeKnown: boolean;
}

/** Result of a search for GPUs. */
export type Answer = GpuInventory["kind"];

export type Step =
  | { readonly do: "take" | "fail to start" | "leave"; readonly asker: number }
  /** The endpoint of the leaving worker wants another one at once, if it is replaced. */
  | { readonly do: "release" | "replace"; readonly worker: number }
  | { readonly do: "answer"; readonly with: Answer }
  | { readonly do: "pass"; readonly ms: number }
  /** Another emulator takes these devices, except those taken here, and releases all others. */
  | { readonly do: "elsewhere"; readonly devices: readonly number[] }
  /** The woken endpoints are considered, and take their devices. */
  | { readonly do: "serve woken" };

const TYPES = ["X", "Y", "Z"];

/** Time for which devices are reserved for a worker that was passed too often (docs/scaling.md). */
export const KEEP_MS = 600_000;

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

/** Workers that come and go all the time, with constant needs. */
export const busySteps = fc.array(
  fc.oneof(
    { weight: 2, arbitrary: fc.record({ do: fc.constant("take" as const), asker }) },
    { weight: 8, arbitrary: fc.record({ do: fc.constant("replace" as const), worker: fc.nat() }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("release" as const), worker: fc.nat() }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("serve woken" as const) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("pass" as const), ms: minutes() }) },
  ),
  { minLength: 20, maxLength: 40, size: "max" },
);

/** Steps with another emulator on the machine. */
export const sharedSteps = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.record({ do: fc.constant("take" as const), asker }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constant("replace" as const), worker: fc.nat() }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("release" as const), worker: fc.nat() }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant("serve woken" as const) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("leave" as const), asker }) },
    { weight: 3, arbitrary: elsewhere() },
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
  return fc.oneof(fc.integer({ min: 1, max: 120_000 }), fc.integer({ min: 1, max: 2 * KEEP_MS }));
}

function elsewhere() {
  const devices = fc.uniqueArray(fc.nat({ max: 7 }), { maxLength: 8 });
  return fc.record({ do: fc.constant("elsewhere" as const), devices });
}
