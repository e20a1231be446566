/** Settings of a file and the interface: the newer value counts, field by field. */
import { expect, it } from "vitest";
import { settleServed } from "../../../../emulator/core/resources/served-settings.ts";

interface Thing {
  readonly size: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly wish?: boolean | undefined;
}

const file: Thing = { size: 1, env: { A: "1" } };

it("changes made over the interface are kept while the file is unchanged", () => {
  const stored = { size: 2, env: { A: "2" }, wish: true };
  expect(settleServed<Thing>({ stored, before: file, now: { size: 1, env: { A: "1" } } })).toEqual({
    thing: stored,
    kept: ["env", "size", "wish"],
    overridden: [],
  });
});

it("changed settings of the file are used, and the others stay", () => {
  const stored = { size: 2, env: { A: "2" } };
  expect(settleServed<Thing>({ stored, before: file, now: { size: 3, env: { A: "1" } } })).toEqual({
    thing: { size: 3, env: { A: "2" } },
    kept: ["env"],
    overridden: ["size"],
  });
});

it("no override is reported if only the file changed a setting, or both set one value", () => {
  const settled = settleServed<Thing>({ stored: file, before: file, now: { size: 3 } });
  expect(settled).toEqual({ thing: { size: 3 }, kept: [], overridden: [] });
  const same = settleServed<Thing>({ stored: { size: 2 }, before: { size: 1 }, now: { size: 2 } });
  expect(same).toEqual({ thing: { size: 2 }, kept: [], overridden: [] });
});

it("all settings are the file's if its earlier content is unknown", () => {
  const settled = settleServed<Thing>({ stored: { size: 2 }, before: undefined, now: file });
  expect(settled).toEqual({ thing: file, kept: [], overridden: [] });
});
