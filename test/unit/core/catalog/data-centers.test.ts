/** The data centres of the live service: 26, each with its country and region. */
import { expect, it } from "vitest";
import { DATA_CENTER, DATA_CENTERS } from "../../../../emulator/core/catalog/data-centers.ts";

it("the list has each data centre of the live service once, and endpoints accept every one", () => {
  expect(new Set(DATA_CENTERS.map(({ id }) => id)).size).toBe(26);
  for (const { id } of DATA_CENTERS) expect(id).toMatch(DATA_CENTER);
});

it.each([
  ["EU-RO-1", "RO", "EUROPE"],
  ["EUR-IS-3", "IS", "EUROPE"],
  ["US-DE-1", "US", "NORTH_AMERICA"],
  ["CA-MTL-3", "CA", "NORTH_AMERICA"],
  ["OC-AU-1", "AU", "OCEANIA"],
  ["AP-JP-1", "JP", "ASIA"],
])("the data centre %s is in %s, %s", (id, country, region) => {
  expect(DATA_CENTERS).toContainEqual({ id, country, region });
});
