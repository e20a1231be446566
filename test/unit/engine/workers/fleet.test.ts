/** The workers of an endpoint are counted by state without examining all of them each time. */
import { expect, it } from "vitest";
import type { WorkerState } from "../../../../emulator/core/workers/worker-life.ts";
import {
  NO_WORKERS,
  type WorkersByState,
} from "../../../../emulator/core/workers/workers-by-state.ts";
import { Fleet } from "../../../../emulator/engine/workers/fleet.ts";
import type { WorkerHandle } from "../../../../emulator/engine/workers/worker-handle.ts";

const WORKERS = 1_000;

function scene() {
  let looks = 0;
  const told: WorkersByState[] = [];
  const fleet = new Fleet((_, states) => told.push(states));
  const states = new Map<string, WorkerState>();
  const worker = (id: string) => {
    states.set(id, "initializing");
    return {
      id,
      endpointId: "echo",
      get state() {
        looks += 1;
        return states.get(id);
      },
    } as WorkerHandle;
  };
  return {
    fleet,
    told,
    worker,
    looks: () => looks,
    change: (of: WorkerHandle, state: WorkerState) => {
      const before = states.get(of.id);
      states.set(of.id, state);
      fleet.changed(of, before);
    },
  };
}

it("workers are counted by state, and workers that have left are not counted", () => {
  const { fleet, told, worker, change } = scene();
  const [first, second] = [worker("first"), worker("second")];
  fleet.add(first);
  fleet.add(second);
  change(first, "ready");
  change(second, "unhealthy");
  expect(told.at(-1)).toEqual({ ...NO_WORKERS, ready: 1, unhealthy: 1 });
  change(first, "ended");
  expect(fleet.states("echo")).toEqual({ ...NO_WORKERS, unhealthy: 1 });
  fleet.remove(first);
  fleet.remove(first);
  expect(fleet.states("echo")).toEqual({ ...NO_WORKERS, unhealthy: 1 });
  fleet.remove(second);
  expect(fleet.states("echo")).toEqual(NO_WORKERS);
});

it(`a change of one of ${WORKERS} workers examines only that one`, () => {
  const { fleet, told, worker, looks, change } = scene();
  const workers = Array.from({ length: WORKERS }, (_, number) => worker(String(number)));
  for (const each of workers) fleet.add(each);
  for (const each of workers) change(each, "ready");
  expect(told.at(-1)).toEqual({ ...NO_WORKERS, ready: WORKERS });
  expect(looks()).toBeLessThan(10 * WORKERS);
});
