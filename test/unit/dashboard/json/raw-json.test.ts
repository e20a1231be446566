/** Reads JSON unchanged, and formats its texts. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { linkIn, pictureIn } from "../../../../emulator/dashboard/json/pictures.ts";
import {
  memberOf,
  readRawJson,
  writeRawJson,
} from "../../../../emulator/dashboard/json/raw-json.ts";
import { looksSecret } from "../../../../emulator/dashboard/json/secrets.ts";
import {
  damagedBytes,
  jsonText,
  platformAccepts,
  tokenSoup,
} from "../../core/jobs/raw-json/json-texts.ts";

/** JSON without white space, its strings as JSON.stringify writes them. */
const compact = (text: string) =>
  text.replace(/"(?:[^"\\]|\\.)*"|\s+/gu, (part) =>
    part.startsWith('"') ? JSON.stringify(JSON.parse(part)) : "",
  );

const rewritten = (text: string) => {
  const node = readRawJson(text);
  return node === undefined ? undefined : writeRawJson(node);
};

describe("a tree", () => {
  test.each([
    "1.0",
    "-0",
    "9007199254740993",
    "1e400",
    "0.1000",
    "[1.10,2E+5]",
    '{"a":1.00,"a":2}',
  ])("keeps %s as it was written", (text) => {
    expect(rewritten(text)).toBe(text);
  });

  test("has the text's value, on one line or many, and is missing if JSON.parse fails", () => {
    fc.assert(
      fc.property(fc.oneof(jsonText, damagedBytes.map(String), tokenSoup), (text) => {
        const node = readRawJson(text);
        expect(node !== undefined).toBe(platformAccepts(Buffer.from(text)));
        if (node === undefined) return;
        expect(writeRawJson(node)).toBe(compact(text));
        expect(readRawJson(writeRawJson(node, 2))).toEqual(node);
      }),
      { numRuns: 4_000 },
    );
  });

  test("of more than a thousand levels is not read, to protect the page", () => {
    expect(readRawJson("[".repeat(100_000) + "]".repeat(100_000))).toBeUndefined();
    expect(readRawJson("[".repeat(900) + "]".repeat(900))).toBeDefined();
  });

  test("has the last of two members of one name, and treats `__proto__` as an ordinary name", () => {
    const node = readRawJson('{"a":1,"__proto__":2,"a":3}');
    expect(memberOf(node, "a")).toEqual({ kind: "number", text: "3" });
    expect(memberOf(node, "__proto__")).toEqual({ kind: "number", text: "2" });
    expect(memberOf(node, "toString")).toBeUndefined();
  });

  test("is formatted on lines", () => {
    const node = readRawJson('{"a":[1.0,{}],"b":[]}');
    expect(node && writeRawJson(node, 2)).toBe('{\n  "a": [\n    1.0,\n    {}\n  ],\n  "b": []\n}');
  });
});

describe("a text", () => {
  test.each([
    ["password", "x"],
    ["db_password", "x"],
    ["apiKey", "x"],
    ["API-KEY", "x"],
    ["accessToken", "x"],
    ["Authorization", "x"],
    ["client_secret", "x"],
    ["", "sk-0123456789abcdef0123"],
    ["", "ghp_0123456789abcdef01234567"],
    ["", "AKIAIOSFODNN7EXAMPLE"],
    ["", "Bearer abcdefghijkl"],
    ["note", "postgres://user:pass@host/db"],
    ["url", "https://s.test/o?X-Amz-Signature=0123456789abcdef"],
    ["", "eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.abc"],
  ])("looks like a secret: %s: %s", (key, value) => {
    expect(looksSecret(key, value)).toBe(true);
  });

  test.each([
    ["max_tokens", "100"],
    ["tokens", "a b"],
    ["prompt", "what is a password?"],
    ["author", "Ada"],
    ["monkey", "x"],
    ["secretary", "x"],
    ["password", ""],
    ["url", "https://example.com/a?b=1"],
  ])("does not look like a secret: %s: %s", (key, value) => {
    expect(looksSecret(key, value)).toBe(false);
  });
});

describe("an image in a text", () => {
  const png = `iVBORw0KGgo${"A".repeat(80)}`;
  const origin = "http://127.0.0.1:7080";

  test("is a data URL, base64, or a file of this service", () => {
    expect(pictureIn("data:image/webp;base64,AAAA", origin)?.mediaType).toBe("image/webp");
    expect(pictureIn(png, origin)).toEqual({
      source: `data:image/png;base64,${png}`,
      mediaType: "image/png",
    });
    expect(pictureIn(`${origin}/s3/${"x".repeat(60)}.png`, origin)?.source).toContain("/s3/");
  });

  test("is not shown if it would be loaded from elsewhere, or is no image", () => {
    for (const text of [
      `https://elsewhere.test/${"x".repeat(60)}.png`,
      "data:text/html,<b>",
      "data:image/png",
      `${png}<script>`,
      "hello",
    ]) {
      expect.soft(pictureIn(text, origin), text).toBeUndefined();
    }
  });

  test("links are http or https addresses only", () => {
    expect(linkIn("https://a.test/b")?.href).toBe("https://a.test/b");
    for (const text of [
      "javascript:alert(1)",
      "data:text/html,x",
      "ftp://a",
      "http://",
      "a https://b",
    ]) {
      expect.soft(linkIn(text), text).toBeUndefined();
    }
  });
});
