/** The variables of the live protocol, and those of them that a template can override. */
import { describe, expect, it } from "vitest";
import type { Endpoint } from "../../../emulator/core/resources/endpoints/endpoint.ts";
import type { Template } from "../../../emulator/core/resources/templates/template.ts";
import type { LiveService } from "../../../emulator/launch/live-environment.ts";
import { ownHome } from "../../../emulator/launch/processes/worker-directories.ts";
import { workerEnvironment } from "../../../emulator/launch/worker-environment.ts";
import { orderOf, templateNamed } from "../../contract/launcher/subject.ts";

const SERVICE: LiveService = {
  url: "http://172.17.0.1:7080",
  pingIntervalMs: 5_000,
  cpuCount: 4,
};

const STORE = {
  SV_S3_ENDPOINT: "http://172.17.0.1:7081",
  SV_S3_BUCKET: "contract",
  SV_S3_ACCESS_KEY_ID: "key-id",
  SV_S3_SECRET_ACCESS_KEY: "hush",
};

interface Given {
  readonly endpoint?: Partial<Endpoint>;
  readonly template?: Partial<Template>;
  readonly gpuCount?: number;
  readonly live?: Partial<LiveService>;
  readonly extra?: Readonly<Record<string, string>>;
}

function told({ endpoint, template, gpuCount = 0, live, extra = STORE }: Given = {}) {
  const order = orderOf({ ...templateNamed("some/image:1"), ...template }, endpoint);
  const gpu = (id: number) => ({ id: `GPU-${id}`, typeId: "NVIDIA RTX A5000", isSimulated: false });
  const gpus = Array.from({ length: gpuCount }, (_, id) => gpu(id));
  const all = workerEnvironment({ ...order, workerId: "w1", gpus }, "unix:/worker.sock", {
    extra,
    live: { ...SERVICE, ...live },
  });
  const isLive = ([name]: readonly [string, string]) => /^(?:RUNPOD|BUCKET)_/u.test(name);
  return { all, live: Object.fromEntries(Object.entries(all).filter(isLive)) };
}

const BASE = "http://172.17.0.1:7080/live/v2/contract";

it("a worker has the address of every operation, its identity, and its resources", () => {
  expect(told().live).toEqual({
    RUNPOD_WEBHOOK_GET_JOB: `${BASE}/job-take/$ID?gpu=`,
    RUNPOD_WEBHOOK_POST_OUTPUT: `${BASE}/job-done/$RUNPOD_POD_ID/$ID?gpu=`,
    RUNPOD_WEBHOOK_POST_STREAM: `${BASE}/job-stream/$RUNPOD_POD_ID/$ID?gpu=`,
    RUNPOD_WEBHOOK_PING: `${BASE}/ping/$RUNPOD_POD_ID`,
    RUNPOD_PING_INTERVAL: "5000",
    RUNPOD_AI_API_KEY: "a-token",
    RUNPOD_AI_API_ID: "contract",
    RUNPOD_POD_ID: "w1",
    RUNPOD_POD_HOSTNAME: "w1",
    RUNPOD_ENDPOINT_ID: "contract",
    RUNPOD_SKIP_AUTO_SYSTEM_CHECKS: "true",
    RUNPOD_SKIP_GPU_CHECK: "true",
    RUNPOD_CPU_COUNT: "4",
    RUNPOD_GPU_COUNT: "0",
    BUCKET_ENDPOINT_URL: "http://172.17.0.1:7081/contract",
    BUCKET_ACCESS_KEY_ID: "key-id",
    BUCKET_SECRET_ACCESS_KEY: "hush",
  });
});

it("a worker has the type of its GPUs in the form for addresses, and its endpoint's location", () => {
  const endpoint = { networkVolumeId: "volume0001", dataCenterIds: ["EU-RO-1", "US-KS-2"] };
  const { live } = told({ endpoint, gpuCount: 2 });
  expect(live).toMatchObject({
    RUNPOD_WEBHOOK_GET_JOB: `${BASE}/job-take/$ID?gpu=NVIDIA+RTX+A5000`,
    RUNPOD_GPU_COUNT: "2",
    RUNPOD_GPU_TYPE_ID: "NVIDIA RTX A5000",
    RUNPOD_GPU_NAME: "NVIDIA+RTX+A5000",
    RUNPOD_GPU_SIZE: "AMPERE_24",
    RUNPOD_VOLUME_ID: "volume0001",
    RUNPOD_DC_ID: "EU-RO-1",
  });
});

it("a worker has the pools of the requested GPU types that belong to a pool", () => {
  const gpuTypeIds = ["NVIDIA GeForce RTX 4090", "NVIDIA L4", "NVIDIA RTX A5000", "NVIDIA Own"];
  const { live } = told({ endpoint: { gpuTypeIds }, gpuCount: 1 });
  expect(live["RUNPOD_GPU_SIZE"]).toBe("ADA_24,AMPERE_24");
  const none = told({ endpoint: { gpuTypeIds: ["NVIDIA Own"] }, gpuCount: 1 });
  expect(none.live).not.toHaveProperty("RUNPOD_GPU_SIZE");
});

it("a worker has the size of its memory, in whole GiB and at least one", () => {
  const memory = (memoryBytes: number) => told({ live: { memoryBytes } }).live["RUNPOD_MEM_GB"];
  expect(memory(12.9 * 1024 ** 3)).toBe("12");
  expect(memory(1_000_000)).toBe("1");
});

it("a worker's variables do not override those of the image", () => {
  expect(told().live).not.toHaveProperty("RUNPOD_DEBUG_LEVEL");
});

describe("the addresses, as the live SDK changes them, lead to the operations", () => {
  const fill = (template = "", id = "") =>
    template.replaceAll("$RUNPOD_POD_ID", "w1").replaceAll("$ID", id);

  it("with ids inserted and parameters appended", () => {
    const { live } = told({ gpuCount: 1 });
    const take = new URL(`${fill(live["RUNPOD_WEBHOOK_GET_JOB"], "w1")}&job_in_progress=0`);
    expect(take.pathname).toBe("/live/v2/contract/job-take/w1");
    expect([...take.searchParams]).toEqual([
      ["gpu", "NVIDIA RTX A5000"],
      ["job_in_progress", "0"],
    ]);
    const done = new URL(`${fill(live["RUNPOD_WEBHOOK_POST_OUTPUT"], "job-1")}&isStream=false`);
    expect(done.pathname).toBe("/live/v2/contract/job-done/w1/job-1");
    expect(done.searchParams.get("isStream")).toBe("false");
  });
});

it("can be set by the template, except the worker's identity and the addresses for jobs", () => {
  const env = { ...told().live, RUNPOD_LOG_LEVEL: "INFO" };
  const other = Object.fromEntries(Object.keys(env).map((name) => [name, "own"]));
  const { live } = told({ template: { env: other } });
  const kept = Object.keys(live).filter((name) => live[name] !== "own");
  expect(kept.toSorted()).toEqual([
    "RUNPOD_AI_API_ID",
    "RUNPOD_AI_API_KEY",
    "RUNPOD_ENDPOINT_ID",
    "RUNPOD_POD_ID",
    "RUNPOD_WEBHOOK_GET_JOB",
    "RUNPOD_WEBHOOK_PING",
    "RUNPOD_WEBHOOK_POST_OUTPUT",
    "RUNPOD_WEBHOOK_POST_STREAM",
  ]);
});

it("the token is only in the variables of keys, because addresses are written to logs", () => {
  const { all } = told();
  const names = Object.keys(all).filter((name) => all[name]?.includes("a-token"));
  expect(names.toSorted()).toEqual(["RUNPOD_AI_API_KEY", "SV_WORKER_TOKEN"]);
});

it("a worker pauses between its pings with short leases too", () => {
  expect(told({ live: { pingIntervalMs: 334 } }).live["RUNPOD_PING_INTERVAL"]).toBe("1000");
});

it("a worker has no bucket variables if there is no bucket", () => {
  const names = Object.keys(told({ extra: {} }).live);
  expect(names.filter((name) => name.startsWith("BUCKET_"))).toEqual([]);
});

describe("a separate home directory", () => {
  it("is empty, and keeps the user's caches and packages available", () => {
    expect(ownHome({ HOME: "/home/ada" }, "/tmp/w1")).toEqual({
      HOME: "/tmp/w1",
      XDG_CACHE_HOME: "/home/ada/.cache",
      XDG_DATA_HOME: "/home/ada/.local/share",
      PYTHONUSERBASE: "/home/ada/.local",
      PYENV_ROOT: "/home/ada/.pyenv",
    });
  });

  it("has the user's own settings of caches and packages", () => {
    const inherited = { HOME: "/home/ada", XDG_CACHE_HOME: "/big/cache", PYENV_ROOT: "/py" };
    expect(ownHome(inherited, "/tmp/w1")).not.toHaveProperty("XDG_CACHE_HOME");
    expect(ownHome(inherited, "/tmp/w1")).not.toHaveProperty("PYENV_ROOT");
    expect(ownHome({}, "/tmp/w1")).toEqual({ HOME: "/tmp/w1" });
  });
});

it("a worker has no live variables of a bucket if its template empties the bucket's address", () => {
  const { all, live } = told({ template: { env: { BUCKET_ENDPOINT_URL: "" } } });
  expect(live["BUCKET_ENDPOINT_URL"]).toBe("");
  expect(live).not.toHaveProperty("BUCKET_ACCESS_KEY_ID");
  expect(live).not.toHaveProperty("BUCKET_SECRET_ACCESS_KEY");
  expect(all).toMatchObject(STORE);
});
