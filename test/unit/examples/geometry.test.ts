// The arithmetic of the thumbnails example keeps shapes and enlarges only on request.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fit } from "../../../examples/thumbnails/geometry.ts";

const edge = fc.integer({ min: 1, max: 20_000 });
const picture = fc.record({ width: edge, height: edge });

describe("the size of a variant", () => {
  it("follows the picture's shape when only a width is given", () => {
    expect(fit({ width: 4000, height: 3000 }, { width: 400 }, false)).toEqual({
      width: 400,
      height: 300,
    });
    expect(fit({ width: 3000, height: 4000 }, { width: 300 }, false)).toEqual({
      width: 300,
      height: 400,
    });
  });

  it("is the requested box when the picture covers it", () => {
    const box = { width: 500, height: 100 };
    expect(fit({ width: 4000, height: 3000 }, box, false)).toEqual(box);
  });

  it("is never larger than the picture and never empty, unless enlarging is allowed", () => {
    fc.assert(
      fc.property(picture, edge, fc.option(edge, { nil: undefined }), (source, width, height) => {
        const asked = height === undefined ? { width } : { width, height };
        const size = fit(source, asked, false);
        expect(size.width).toBeGreaterThanOrEqual(1);
        expect(size.height).toBeGreaterThanOrEqual(1);
        expect(size.width).toBeLessThanOrEqual(Math.min(source.width, width));
        expect(size.height).toBeLessThanOrEqual(source.height);
        expect(fit(source, asked, true).width).toBe(width);
      }),
    );
  });

  it("keeps the requested shape, to the pixel, when it shrinks", () => {
    fc.assert(
      fc.property(picture, picture, (source, box) => {
        const size = fit(source, box, false);
        expect(Math.abs(size.height - (size.width * box.height) / box.width)).toBeLessThanOrEqual(
          1 + box.height / box.width,
        );
      }),
    );
  });
});
