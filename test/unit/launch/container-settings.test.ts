/** The variables of a template for its containers. */
import { expect, it } from "vitest";
import { readContainerSettings } from "../../../emulator/launch/container-settings.ts";

const GB = 1024 ** 3;
const read = (env: Readonly<Record<string, string>>) => readContainerSettings({ env }, 8 * GB);

it("limits memory to a share of the machine's if the template sets no limit", () => {
  const defaults = { asImage: false, memoryBytes: 6 * GB, cpus: undefined, tmpBytes: GB };
  expect(read({})).toEqual(defaults);
  expect(read({ SV_CONTAINER_MEMORY: "", SV_CONTAINER_PRIVILEGES: "" })).toEqual(defaults);
});

it("takes sizes as Docker does", () => {
  for (const text of ["2g", "2G", "2gb", "2048m", String(2 * GB)])
    expect(read({ SV_CONTAINER_MEMORY: text })).toMatchObject({ memoryBytes: 2 * GB });
  expect(read({ SV_CONTAINER_TMP: "64m", SV_CONTAINER_CPUS: "1.5" })).toMatchObject({
    tmpBytes: 64 * 1024 ** 2,
    cpus: 1.5,
  });
});

it.each([
  ["SV_CONTAINER_MEMORY", "much", "a size like 4g"],
  ["SV_CONTAINER_MEMORY", "1m", "a size like 4g, at least 32m"],
  ["SV_CONTAINER_TMP", "0", "a size like 2g"],
  ["SV_CONTAINER_CPUS", "-1", "a number from 0.01"],
  ["SV_CONTAINER_CPUS", "two", "a number from 0.01"],
  ["SV_CONTAINER_PRIVILEGES", "root", "least or image"],
])("says what %s must be when it is %j", (name, value, rule) => {
  expect(read({ [name]: value })).toContain(`${name} must be ${rule}`);
  expect(read({ [name]: value })).toContain(`got "${value}"`);
});
