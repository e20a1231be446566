/** URLs in the output of handlers are opened in a browser. */
import fs from "node:fs";
import path from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Thumbnails, Variant } from "../../../examples/thumbnails/handler.ts";
import { createClient } from "../../../runtime/client/index.ts";
import { chromiumIsMissing, startChromium } from "../../setup/chromium.ts";
import { type EmulatorProcess, startEmulatorProcess } from "../emulator-process.ts";

const EXAMPLE = path.resolve(import.meta.dirname, "../../../examples/thumbnails");

/** Content of a URL's page in the browser. */
const LOOK = `({
  type: document.contentType,
  images: [...document.images].map((image) => [image.naturalWidth, image.naturalHeight]),
})`;

describe.skipIf(chromiumIsMissing !== undefined)("in Chromium", () => {
  let emulator: EmulatorProcess;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    emulator = await startEmulatorProcess({ args: [EXAMPLE, "--ephemeral"] });
    browser = await startChromium();
    page = await browser.newPage();
  });

  afterAll(async () => {
    await browser?.close();
    await emulator?.[Symbol.asyncDispose]();
  });

  async function variantsOf(input: object): Promise<readonly Variant[]> {
    const client = createClient({ baseUrl: emulator.url, apiKey: emulator.apiKey });
    const image = fs.readFileSync(path.join(EXAMPLE, "photo.jpg")).toString("base64");
    const thumbnails = client.endpoint<object, Thumbnails>("thumbnails");
    const { output, error } = await thumbnails.runSync({ image, ...input });
    await client.close();
    if (output === undefined) throw new Error(error ?? "the job has no output");
    return output.variants;
  }

  it("the thumbnails of a photograph are images of the requested sizes", async () => {
    const sizes = [{ width: 320 }, { width: 100, height: 90 }];
    const variants = await variantsOf({ sizes, formats: ["webp", "png"] });
    expect(variants.map(({ width, format }) => `${width} ${format}`)).toEqual([
      "320 webp",
      "320 png",
      "100 webp",
      "100 png",
    ]);
    for (const { url, format, width, height } of variants) {
      const response = await page.goto(url);
      expect(response?.status()).toBe(200);
      const seen = { type: `image/${format}`, images: [[width, height]] };
      expect(await page.evaluate(LOOK), url).toEqual(seen);
    }
    expect(variants[2]).toMatchObject({ width: 100, height: 90 });
  });

  it("a changed address shows no image", async () => {
    const [variant] = await variantsOf({ sizes: [64], formats: ["png"] });
    const changed = variant?.url.replace(/X-Amz-Expires=\d+/u, "X-Amz-Expires=604000") ?? "";
    const response = await page.goto(changed);
    expect(response?.status()).toBe(403);
    expect(await page.evaluate(LOOK)).toMatchObject({ images: [] });
    expect(await page.content()).toContain("SignatureDoesNotMatch");
  });
});
