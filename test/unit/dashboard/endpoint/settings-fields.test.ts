/** The settings form of an endpoint: its request, and the places of problems. */
import { describe, expect, test } from "vitest";
import {
  changedNames,
  changesOf,
  type Editable,
  fieldsOf,
  problemsAt,
  textOf,
} from "../../../../emulator/dashboard/pages/endpoint/settings-fields.ts";

const ENDPOINT: Editable = {
  type: "QUEUE",
  computeType: "GPU",
  name: "resize",
  workersMin: 0,
  workersMax: 3,
  idleTimeout: 5,
  scalerType: "QUEUE_DELAY",
  scalerValue: 4,
  executionTimeoutMs: 600_000,
  retries: { workerLost: 1, handlerError: 0 },
  requestsPerWorker: 50,
  gpuTypeIds: ["NVIDIA L4", "NVIDIA A40"],
  gpuCount: 1,
};

const namesOf = (endpoint: Pick<Editable, "type" | "computeType">) =>
  fieldsOf(endpoint).map(({ name }) => name);

test("an endpoint has the fields of its type", () => {
  expect(namesOf(ENDPOINT)).toContain("gpuCount");
  expect(namesOf(ENDPOINT)).not.toContain("vcpuCount");
  expect(namesOf({ type: "QUEUE", computeType: "CPU" })).toContain("vcpuCount");
  const balanced = namesOf({ type: "LOAD_BALANCING", computeType: "GPU" });
  expect(balanced).not.toContain("executionTimeoutMs");
  expect(balanced).not.toContain("scalerType");
  expect(balanced).toContain("scalerValue");
});

test("a field shows the value in the service's answer, also for objects and lists", () => {
  const shown = ["name", "retries.workerLost", "gpuTypeIds", "vcpuCount"].map((name) =>
    textOf(ENDPOINT, name),
  );
  expect(shown).toEqual(["resize", "1", "NVIDIA L4, NVIDIA A40", ""]);
});

describe("the sent change", () => {
  test("has only the changed fields, as numbers, lists and texts", () => {
    const draft = {
      name: " resize ",
      workersMax: "6",
      "retries.handlerError": "2",
      gpuTypeIds: "NVIDIA A40 ,, NVIDIA L4",
      scalerType: "REQUEST_COUNT",
    };
    expect(changedNames(ENDPOINT, draft)).not.toContain("name");
    expect(changesOf(ENDPOINT, draft)).toEqual({
      workersMax: 6,
      retries: { handlerError: 2 },
      gpuTypeIds: ["NVIDIA A40", "NVIDIA L4"],
      scalerType: "REQUEST_COUNT",
    });
  });

  test("has the typed text if that is not a number, so that the service names the problem", () => {
    expect(changesOf(ENDPOINT, { workersMin: "many", idleTimeout: "" })).toEqual({
      workersMin: "many",
      idleTimeout: "",
    });
  });

  test("is empty if a text was typed and undone", () => {
    expect(changesOf(ENDPOINT, { workersMax: "3" })).toEqual({});
  });
});

test("each problem is shown at its field, and problems without a field are kept", () => {
  const sentences = [
    "workersMin must not exceed workersMax, which is 3; got 9",
    "retries.workerLost must be a whole number",
    "workersMinimum is unknown",
  ];
  expect(problemsAt(sentences, fieldsOf(ENDPOINT))).toEqual({
    at: {
      workersMin: "must not exceed workersMax, which is 3; got 9",
      "retries.workerLost": "must be a whole number",
    },
    others: ["workersMinimum is unknown"],
  });
});
