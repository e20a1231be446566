/** A rule about promises that may reject before they are awaited. */
import { expect, test } from "vitest";
import { lateAwaitOffences } from "../../tidy/late-awaits.ts";
import { expectCaught, offences } from "../../tidy/planted.ts";
import { parse } from "../../tidy/source.ts";
import { isSource, textFiles } from "../../tidy/tree.ts";

test("no promise of an async function is left without a handler across another await", () => {
  const sources = textFiles().filter(isSource);
  const product = sources.filter(
    ({ path, text }) => /^(emulator|runtime)\//u.test(path) && text.includes("async "),
  );
  const parsed = product.map(({ path, text }) => parse(path, text));
  expect(offences(parsed, lateAwaitOffences)).toEqual([]);
  const inClass = (body: string) => `class A { async #b() {} async c(x) { ${body} } }`;
  expectCaught(lateAwaitOffences, [
    {
      at: "emulator/engine/x.ts",
      caught: [
        inClass("const b = this.#b(); await x; await b;"),
        inClass("const b = x ? undefined : this.#b(); await x; await Promise.all([b, x]);"),
        "async function b() {} async function c(x) { const p = b(); const y = await x; await p; }",
      ],
      allowed: [
        inClass("const b = this.#b(); b.catch(() => undefined); await x; await b;"),
        inClass("const b = this.#b(); await Promise.all([b, x]);"),
        inClass("const b = await this.#b(); await x; use(b);"),
        inClass("const b = this.#b(); later(async () => { await x; }); await b;"),
      ],
    },
  ]);
});
