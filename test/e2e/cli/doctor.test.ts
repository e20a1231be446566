/** The built `sv-emulate doctor` on this machine without an engine, and with stand-ins of three drivers. */
import { expect, test } from "vitest";
import { standInNvidiaSmi } from "../../setup/stand-in-nvidia-smi.ts";
import { temporaryTree } from "../../temporary-tree.ts";
import { runEmulatorProcess } from "../emulator-process.ts";

const DOCKER_HOST = "unix:///nowhere/docker.sock";

async function doctor(driver: string, ...args: readonly string[]) {
  await using tree = await temporaryTree({});
  await using standIn = await standInNvidiaSmi(driver);
  const PATH = `${standIn.folder}:${process.env["PATH"]}`;
  return await runEmulatorProcess({
    args: ["doctor", ...args],
    cwd: tree.root,
    env: { DOCKER_HOST, PATH, SV_PORT: "0" },
  });
}

test("each driver is told with its CUDA, and what is needed decides the exit code", async () => {
  const fine = await doctor("one-gpu", "gpus");
  expect(fine).toMatchObject({ code: 0, stderr: "" });
  expect(fine.stdout).toContain(
    "ok    NVIDIA driver       1 × NVIDIA L4, driver 570.133.20 gives CUDA 12.8",
  );
  expect(fine.stdout).toContain(
    `warn  container engine    no Docker engine answers at ${DOCKER_HOST}`,
  );
  const old = await doctor("cuda-12-4", "images", "gpus");
  expect(old.code).toBe(1);
  expect(old.stdout).toMatch(
    /^fail {2}container engine {4}no Docker engine.*\n +→ install Docker or start it/mu,
  );
  expect(old.stdout).toMatch(
    /^fail {2}CUDA of the base {4}.* needs CUDA 12\.8, driver 550\.54\.15 gives CUDA 12\.4\n +→ update/mu,
  );
  const absent = await doctor("driver-not-loaded", "gpus", "--json");
  expect(absent.code).toBe(1);
  const { isWell, checks } = JSON.parse(absent.stdout) as { isWell: boolean; checks: object[] };
  expect(isWell).toBe(false);
  expect(checks).toContainEqual(
    expect.objectContaining({
      name: "NVIDIA driver",
      state: "fail",
      cure: expect.stringContaining("modprobe"),
    }),
  );
});
