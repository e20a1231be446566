/** The choice of a worker for a request: the least busy one, or the wanted one. */
import { describe, expect, it } from "vitest";
import {
  type BalancedWorker,
  chooseWorker,
  readAffinity,
} from "../../../../emulator/core/balancing/choose-worker.ts";
import { readEndpointInput } from "../../../../emulator/core/resources/endpoints/endpoint-input.ts";
import { ServiceError } from "../../../../emulator/core/service-error.ts";

function worker(id: string, overrides: Partial<BalancedWorker> = {}): BalancedWorker {
  return { id, state: "ready", hasProcess: true, heldCount: 0, endpointVersion: 1, ...overrides };
}

function chosen(workers: readonly BalancedWorker[], header?: string): string {
  const choice = chooseWorker(workers, 1, readAffinity(header));
  return typeof choice === "string" ? choice : choice.worker.id;
}

describe("the choice of a worker", () => {
  it("falls on the first of the workers with the fewest requests", () => {
    const workers = [worker("a", { heldCount: 2 }), worker("b", { heldCount: 1 }), worker("c")];
    expect(chosen(workers)).toBe("c");
    expect(chosen([worker("a"), worker("b")])).toBe("a");
  });

  it("skips workers that are unhealthy or draining", () => {
    const workers = [
      worker("starting", { state: "initializing" }),
      worker("sick", { state: "unhealthy" }),
      worker("leaving", { state: "draining" }),
      worker("lost", { state: "lost" }),
    ];
    expect(chosen(workers)).toBe("wait");
    expect(chosen([...workers, worker("busy", { heldCount: 99 })])).toBe("busy");
  });

  it("falls on a worker of an old version only until a worker of the new version is healthy", () => {
    const workers = [
      worker("old", { endpointVersion: 0 }),
      worker("new", { state: "initializing" }),
    ];
    expect(chosen(workers)).toBe("old");
    expect(chosen([...workers, worker("busy", { heldCount: 99 })])).toBe("busy");
  });

  it("falls on the requested worker, busy or not", () => {
    const workers = [worker("a", { heldCount: 5 }), worker("b")];
    for (const wish of ["a", "strict a", "strict-resume a", " Strict  A "]) {
      const header = wish.toLowerCase();
      expect(chosen(workers, header), wish).toBe("a");
    }
  });

  it("falls on another worker for a soft request, fails for a strict one, and may wait for a resuming one without the requested worker", () => {
    const workers = [
      worker("sick", { state: "unhealthy" }),
      worker("leaving", { state: "draining" }),
      worker("b"),
    ];
    expect(chosen(workers, "sick")).toBe("b");
    expect(chosen(workers, "nobody")).toBe("b");
    expect(chosen(workers, "strict sick")).toBe("gone");
    expect(chosen(workers, "strict nobody")).toBe("gone");
    expect(chosen(workers, "strict-resume sick")).toBe("wait");
    expect(chosen(workers, "strict-resume leaving")).toBe("gone");
    expect(chosen(workers, "strict-resume nobody")).toBe("gone");
  });

  it("is refused for an empty request for a worker", () => {
    for (const header of ["strict a b", "firmly a", "a,b", "strict ../x"]) {
      expect(() => readAffinity(header), header).toThrow(/sv-worker-id must be the id of a worker/);
    }
  });
});

describe("the type of an endpoint", () => {
  it("is QUEUE by default", () => {
    expect(readEndpointInput({ templateId: "t" })).toMatchObject({
      type: "QUEUE",
      scalerType: "QUEUE_DELAY",
    });
  });

  it("makes load balancing endpoints scale by the number of requests only", () => {
    const body = { templateId: "t", type: "LOAD_BALANCING" };
    expect(readEndpointInput(body).scalerType).toBe("REQUEST_COUNT");
    try {
      readEndpointInput({ ...body, scalerType: "QUEUE_DELAY" });
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(ServiceError);
      expect(error).toMatchObject({
        status: 400,
        problems: [
          'scalerType must be REQUEST_COUNT for an endpoint of the type LOAD_BALANCING; got "QUEUE_DELAY"',
        ],
      });
    }
    expect(() => readEndpointInput({ templateId: "t", type: "LB" })).toThrow(
      "type must be one of QUEUE, LOAD_BALANCING",
    );
  });
});
