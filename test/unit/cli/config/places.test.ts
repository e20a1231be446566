/** The place of a key in the text of a config: in JSON, and in object literals of TypeScript. */
import { describe, expect, test } from "vitest";
import { placeIn } from "../../../../emulator/cli/config/key-positions.ts";

/** Line and column of the mark `‸` in the text, and the text without it. */
function marked(text: string) {
  const [before = "", after = ""] = text.split("‸");
  const lines = before.split("\n");
  return {
    text: before + after,
    place: { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 },
  };
}

describe("a place in JSON", () => {
  test.each([
    ["a value", '{"endpoints": {"a": {"port": ‸1}}}', "endpoints.a.port"],
    ["an item of an array", '{"endpoints": {"a": {"x": [1, [2, 3],\n  ‸4]}}}', "endpoints.a.x.2"],
    ["after texts with brackets", '{"a": "}{,\\"", "endpoints": ‸{}}', "endpoints"],
    ["the last of two members of one name", '{"a": 1, "endpoints": 2, "a": ‸3}', "a"],
    ["the parent of a missing key", '{"endpoints": {"a": ‸{"b": 1}}}', "endpoints.a.c.d"],
    ["a key written with escapes", '{"endpoints": {"\\u0061": ‸{}}}', "endpoints.a"],
  ])("%s", (_, withMark, path) => {
    const { text, place } = marked(withMark);
    expect(placeIn(text, path.split("."))).toEqual(place);
  });

  test("is the key itself on request", () => {
    const { text, place } = marked('{\n  "endpoints": {"a": {}},\n  ‸"prot": 1\n}');
    expect(placeIn(text, ["prot"], "key")).toEqual(place);
  });

  test("is the beginning for an empty path", () => {
    expect(placeIn(' {"a": 1}', [])).toEqual({ line: 1, column: 2 });
  });

  test("is the beginning for a missing path", () => {
    expect(placeIn('\n {"a": 1}', ["b"])).toEqual({ line: 2, column: 2 });
    expect(placeIn("[]", ["b"])).toEqual({ line: 1, column: 1 });
  });
});

describe("a place in TypeScript", () => {
  test.each([
    ["a default export", "export default { endpoints: { a: { port: ‸1 } } };"],
    ["an argument", "export default defineConfig({ endpoints: { 'a': { port: ‸1 } } });"],
    [
      "the result of an arrow function",
      "export default defineConfig(async () => ({ endpoints: { a: { port: ‸1 } } }));",
    ],
    [
      "the result of a function",
      "export default () => {\n  const x = { port: 2 };\n  return { endpoints: { a: { port: ‸1 } } };\n};",
    ],
    [
      "a constant",
      "const config: ConfigInput = { endpoints: { a: { port: ‸1 } } };\nexport default config;",
    ],
    [
      "after comments",
      "/* { endpoints: */ // {\nexport default {\n  // port: 3,\n  endpoints: { a: { /* x */ port: ‸1 } } };",
    ],
    [
      "after spreads, calls and templates",
      "export default { ...base({ a: 1 }), host: `${x}}`, endpoints: { b: f(1, { c }), a: { port: ‸1 } } };",
    ],
    [
      "after an object of equal shape that is no config",
      "const a = { port: 4 };\nexport default { endpoints: { a: { port: ‸1 } } };",
    ],
  ])("%s", (_, withMark) => {
    const { text, place } = marked(withMark);
    expect(placeIn(text, ["endpoints", "a", "port"])).toEqual(place);
  });

  test("can be a shorthand member", () => {
    const { text, place } = marked("const port = 'x';\nexport default { endpoints: {}, ‸port };");
    expect(placeIn(text, ["port"])).toEqual(place);
  });

  test("is the expression of a computed value", () => {
    const { text, place } = marked("export default { endpoints: { a: ‸make() } };");
    expect(placeIn(text, ["endpoints", "a", "port"])).toEqual(place);
  });

  test("is missing without an object literal", () => {
    expect(placeIn("export default make();", ["endpoints", "a"])).toBeUndefined();
  });
});
