/** Values in one buffer come back unchanged, and their bytes have the checksum of their row. */
import { crc32 } from "node:zlib";
import fc from "fast-check";
import { expect, it } from "vitest";
import { rowChecksum } from "../../../emulator/store/sqlite/row-checksum.ts";
import { ValueReader, ValueWriter } from "../../../emulator/store/sqlite/values.ts";

/** A text has no half of a character: SQLite could not keep it. */
const value = fc.oneof(
  fc.constant(null),
  fc.integer(),
  fc.double({ noNaN: true }),
  fc.string({ unit: "grapheme", maxLength: 200 }),
  fc.string({ maxLength: 60 }),
  fc.uint8Array({ maxLength: 300 }),
);

it("any values come back, even if the buffer had to grow, and can be skipped", () => {
  fc.assert(
    fc.property(fc.array(value), fc.nat(60), (values, skipped) => {
      const writer = new ValueWriter(16);
      for (const written of values) writer.value(written);
      const reader = new ValueReader(writer.finish());
      const read = values.map((_, at) => {
        if (at !== skipped) return reader.value();
        reader.skip();
        return values[at];
      });
      expect(read.map(plain)).toEqual(values.map(plain));
      expect(crc32(reader.since(0))).toBe(rowChecksum(values));
    }),
  );
});

it("a reserved number can be filled in, and a read one replaced", () => {
  const writer = new ValueWriter(1);
  const place = writer.reserve();
  writer.text("x".repeat(100));
  writer.fill(place, 7);
  writer.number(1);
  const reader = new ValueReader(writer.finish());
  expect(reader.number()).toBe(7);
  expect(reader.text()).toHaveLength(100);
  const start = reader.at;
  reader.replaceNumber(9);
  expect(crc32(reader.since(start))).toBe(rowChecksum([9]));
});

function plain(written: unknown): unknown {
  return written instanceof Uint8Array ? [...written] : written;
}
