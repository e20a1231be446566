/** The variables of a template for its containers. */
import { expect, it } from "vitest";
import { readContainerSettings } from "../../../emulator/launch/container-settings.ts";

const GB = 1024 ** 3;
const read = (env: Readonly<Record<string, string>>) => readContainerSettings({ env }, 8 * GB);

it("memory is limited to a share of the machine's without a limit of the template", () => {
  const defaults = {
    ...{ asImage: false, memoryBytes: 6 * GB, cpus: undefined, tmpBytes: GB, tmpExec: false },
    ...{ shmBytes: GB, pids: 4_096, memlockBytes: undefined, platform: undefined },
  };
  expect(read({})).toEqual(defaults);
  expect(read({ SV_CONTAINER_MEMORY: "", SV_CONTAINER_PRIVILEGES: "" })).toEqual(defaults);
});

it("sizes have Docker's form", () => {
  for (const text of ["2g", "2G", "2gb", "2048m", String(2 * GB)])
    expect(read({ SV_CONTAINER_MEMORY: text })).toMatchObject({ memoryBytes: 2 * GB });
  expect(read({ SV_CONTAINER_TMP: "64m", SV_CONTAINER_CPUS: "1.5" })).toMatchObject({
    tmpBytes: 64 * 1024 ** 2,
    cpus: 1.5,
  });
});

it("the platform is the template's, or else the service's", () => {
  const chosen = { SV_CONTAINER_PLATFORM: "linux/amd64" };
  const platformOf = (env: Readonly<Record<string, string>>, own?: string) =>
    readContainerSettings({ env }, 8 * GB, own);
  expect(platformOf(chosen, "linux/arm64/v8")).toMatchObject({ platform: "linux/amd64" });
  expect(platformOf({}, "linux/arm64/v8")).toMatchObject({ platform: "linux/arm64/v8" });
  expect(platformOf({}, "windows/amd64")).toContain("SV_CONTAINER_PLATFORM must be");
});

it.each([
  ["SV_CONTAINER_MEMORY", "much", "a size like 4g"],
  ["SV_CONTAINER_MEMORY", "1m", "a size like 4g, at least 32m"],
  ["SV_CONTAINER_TMP", "0", "a size like 2g"],
  ["SV_CONTAINER_CPUS", "-1", "a number from 0.01"],
  ["SV_CONTAINER_CPUS", "two", "a number from 0.01"],
  ["SV_CONTAINER_PRIVILEGES", "root", "least or image"],
  ["SV_CONTAINER_TMP_EXEC", "yes", "on or off"],
  ["SV_CONTAINER_SHM", "0", "a size like 2g"],
  ["SV_CONTAINER_PIDS", "1.5", "an integer from 1"],
  ["SV_CONTAINER_PIDS", "4194305", "an integer from 1 to 4194304"],
  ["SV_CONTAINER_MEMLOCK", "none", "a size like 64m, or unlimited"],
  ["SV_CONTAINER_PLATFORM", "arm64", "a platform like linux/amd64"],
])("the refusal says what %s must be instead of %j", (name, value, rule) => {
  expect(read({ [name]: value })).toContain(`${name} must be ${rule}`);
  expect(read({ [name]: value })).toContain(`got "${value}"`);
});
