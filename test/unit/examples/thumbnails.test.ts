// The thumbnails example makes variants of a real photograph in the given sizes and formats, and refuses other files.
import { readFileSync } from "node:fs";
import { crc32 } from "node:zlib";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import thumbnails, { type Thumbnails } from "../../../examples/thumbnails/handler.ts";
import { fakeContext, fakeJob } from "./fake-job.ts";

const photo = readFileSync(new URL("../../../examples/thumbnails/photo.jpg", import.meta.url));
const image = photo.toString("base64");
/** The photograph at 600 × 338, for tests that need no large one. */
const small = (await sharp(photo).resize(600).png().toBuffer()).toString("base64");

/** A result, and the files at its addresses. */
interface Made extends Thumbnails {
  readonly files: readonly Buffer[];
}

async function make(input: unknown): Promise<Made> {
  const job = fakeJob(input);
  const { context, uploaded } = fakeContext(job);
  const result = await thumbnails(job, context);
  const files = result.variants.map(({ url }) => uploaded.get(url) ?? Buffer.alloc(0));
  return { ...result, files };
}

/** The decoded variants, pixels included. */
function decodeAll({ files }: Made): Promise<string[]> {
  return Promise.all(
    files.map(async (file) => {
      const { format } = await sharp(file).metadata();
      const { info } = await sharp(file).raw().toBuffer({ resolveWithObject: true });
      return `${format} ${info.width}x${info.height}`;
    }),
  );
}

describe("thumbnails of a photograph of several megapixels", () => {
  it("decode to the requested sizes in the requested formats", async () => {
    const result = await make({
      image,
      sizes: [320, { width: 1000 }, { width: 200, height: 300 }],
      formats: ["webp", "png"],
    });
    expect(result.source).toEqual({
      width: 5312,
      height: 2988,
      format: "jpeg",
      bytes: photo.length,
    });
    const decoded = await decodeAll(result);
    expect(decoded).toEqual([
      "webp 320x180",
      "png 320x180",
      "webp 1000x563",
      "png 1000x563",
      "webp 200x300",
      "png 200x300",
    ]);
    expect(result.variants.map((v) => `${v.format} ${v.width}x${v.height}`)).toEqual(decoded);
    expect(result.variants.map((v) => v.bytes)).toEqual(result.files.map((file) => file.length));
    expect(new Set(result.variants.map((v) => v.url)).size).toBe(6);
  });

  it("show the photograph", async () => {
    const { files } = await make({ image, sizes: [64], formats: ["png"] });
    const expected = await sharp(photo).resize(64).removeAlpha().raw().toBuffer();
    const shown = await sharp(files[0]).removeAlpha().raw().toBuffer();
    const difference = shown.reduce(
      (sum, value, at) => sum + Math.abs(value - (expected[at] ?? 0)),
      0,
    );
    expect(difference / shown.length).toBeLessThan(4);
  });
});

describe("thumbnails", () => {
  it("have two sizes and both formats by default", async () => {
    expect(await decodeAll(await make({ image: small }))).toEqual([
      "webp 320x180",
      "png 320x180",
      "webp 600x338",
      "png 600x338",
    ]);
  });

  it("are made alike from a data URL and from base64 in lines", async () => {
    const input = { sizes: [50], formats: ["png"] };
    const plain = await make({ ...input, image: small });
    const lines = small.replaceAll(/.{76}/gu, "$&\r\n");
    expect(await make({ ...input, image: `data:image/png;base64,${small}` })).toEqual(plain);
    expect(await make({ ...input, image: lines })).toEqual(plain);
  });

  it("are no larger than the picture unless the input allows it", async () => {
    const input = { image: small, sizes: [1200, { width: 1200, height: 1200 }], formats: ["webp"] };
    expect(await decodeAll(await make(input))).toEqual(["webp 600x338", "webp 338x338"]);
    expect(await decodeAll(await make({ ...input, enlarge: true }))).toEqual([
      "webp 1200x676",
      "webp 1200x1200",
    ]);
  });

  it("are upright even if the camera was not", async () => {
    // Red above blue, to be turned clockwise by a quarter: then blue is left, red right.
    const red = { create: { width: 60, height: 20, channels: 3, background: "#f00" } } as const;
    const file = await sharp(red)
      .extend({ bottom: 20, background: "#00f" })
      .withMetadata({ orientation: 6 })
      .png()
      .toBuffer();
    const result = await make({ image: file.toString("base64"), sizes: [20], formats: ["png"] });
    expect(result.source).toMatchObject({ width: 40, height: 60 });
    expect(await decodeAll(result)).toEqual(["png 20x30"]);
    const pixels = sharp(result.files[0]).removeAlpha();
    const row = await pixels.extract({ left: 0, top: 15, width: 20, height: 1 }).raw().toBuffer();
    expect([...row.subarray(0, 3)]).toEqual([0, 0, 255]);
    expect([...row.subarray(-3)]).toEqual([255, 0, 0]);
  });

  it("are smaller files at a lower quality", async () => {
    const bytes = async (quality: number): Promise<number> =>
      (await make({ image: small, sizes: [300], formats: ["webp"], quality })).variants[0]?.bytes ??
      0;
    expect(await bytes(20)).toBeLessThan(await bytes(90));
  });

  it("are made once if a format is named twice", async () => {
    const input = { image: small, sizes: [50], formats: ["png", "png"] };
    expect(await decodeAll(await make(input))).toEqual(["png 50x28"]);
  });

  it("are reported one by one, and stop between two when the job is cancelled", async () => {
    const cancel = new AbortController();
    const job = fakeJob({ image: small, sizes: [50, 60], formats: ["webp", "png"] });
    const { context, progress } = fakeContext(job, cancel.signal);
    const done = thumbnails(job, {
      ...context,
      progress(value) {
        context.progress(value);
        if (progress.length === 3) cancel.abort();
      },
    });
    await expect(done).rejects.toThrow("aborted");
    expect(progress).toEqual([1, 2, 3].map((count) => ({ done: count, total: 4 })));
  });
});

describe("the thumbnails example refuses", () => {
  const base64 = (text: string): string => Buffer.from(text).toString("base64");

  it.each([
    ["no image", {}, "input.image must be a string"],
    ["an input that is no object", null, "input.image must be a string"],
    ["an empty image", { image: "" }, "input.image is no base64 text"],
    ["a text other than base64", { image: "{[not base64]}" }, "input.image is no base64 text"],
    ["a data URL of text", { image: "data:text/plain,hello" }, "data URL that is not base64"],
    ["an empty data URL", { image: "data:image/png;base64," }, "input.image is no base64 text"],
    [
      "bytes that are no image",
      { image: base64("hello world") },
      "holds 11 bytes that are no image",
    ],
    [
      "a drawing in SVG",
      { image: base64('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>') },
      "input.image is a file of format svg",
    ],
    ["no sizes", { image: small, sizes: [] }, "input.sizes must be a list"],
    ["a size that is no list", { image: small, sizes: 320 }, "input.sizes must be a list"],
    ["nine sizes", { image: small, sizes: Array(9).fill(10) }, "asks for 9 sizes; at most 8."],
    ["a size of zero", { image: small, sizes: [9, 0] }, "input.sizes[1] must be a whole number"],
    ["a size too large", { image: small, sizes: [4097] }, "of pixels from 1 to 4096."],
    [
      "a size in words",
      { image: small, sizes: ["big"] },
      "input.sizes[0] must be a width in pixels",
    ],
    ["a width in words", { image: small, sizes: [{ width: "9" }] }, "input.sizes[0].width must be"],
    ["half a pixel", { image: small, sizes: [{ width: 9, height: 0.5 }] }, "input.sizes[0].height"],
    [
      "an unknown format",
      { image: small, formats: ["webp", "bmp"] },
      "input.formats[1] must be one of",
    ],
    ["no formats", { image: small, formats: [] }, "input.formats must be a list"],
    ["a quality of 0", { image: small, quality: 0 }, "input.quality must be a whole number"],
    [
      "a quality in words",
      { image: small, quality: "high" },
      "input.quality must be a whole number",
    ],
    [
      "to guess at enlarge",
      { image: small, enlarge: "yes" },
      "input.enlarge must be true or false.",
    ],
  ])("%s", async (_, input, message) => {
    await expect(make(input)).rejects.toThrow(message);
  });

  it("a photograph that is cut off", async () => {
    const half = photo.subarray(0, photo.length / 2).toString("base64");
    await expect(make({ image: half, sizes: [100] })).rejects.toThrow("its file may be damaged");
  });

  it("a small file that would unpack to too many pixels", async () => {
    const file = await sharp({
      create: { width: 1, height: 1, channels: 3, background: "#fff" },
    })
      .png()
      .toBuffer();
    // The header of a PNG: its width is at byte 16, its height at 20, their checksum at 29.
    file.writeUInt32BE(20_000, 16);
    file.writeUInt32BE(6_000, 20);
    file.writeUInt32BE(crc32(file.subarray(12, 29)), 29);
    await expect(make({ image: file.toString("base64") })).rejects.toThrow(
      "input.image has 20000 × 6000 pixels; at most 100000000 are accepted.",
    );
  });
});
