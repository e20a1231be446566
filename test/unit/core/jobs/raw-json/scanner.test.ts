/** The scanner's rules one by one: limits, duplicates, kinds, and messages. */
import { describe, expect, it } from "vitest";
import { scanJson } from "../../../../../emulator/core/jobs/raw-json/scan.ts";
import {
  JsonScanner,
  type ScanOptions,
} from "../../../../../emulator/core/jobs/raw-json/scanner.ts";

function scan(text: string | Buffer, options?: ScanOptions): ReturnType<typeof scanJson> {
  return scanJson(Buffer.from(text), options);
}

function messageOf(text: string | Buffer, options?: ScanOptions): string {
  const result = scan(text, options);
  return result.ok ? "no fault" : result.fault.message;
}

describe("nesting", () => {
  it("is accepted up to 512 levels and refused at level 513", () => {
    const nested = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);
    expect(scan(nested(512)).ok).toBe(true);
    expect(scan(nested(513))).toEqual({
      ok: false,
      fault: {
        kind: "depth",
        message: "the body is nested deeper than 512 levels, which is the limit, at byte 512",
        atByte: 512,
      },
    });
  });

  it("counts objects and arrays alike", () => {
    const nested = (levels: number): string => '{"a":['.repeat(levels) + "]}".repeat(levels);
    expect(scan(nested(256)).ok).toBe(true);
    expect(scan(nested(257))).toMatchObject({ fault: { kind: "depth", atByte: 256 * 6 } });
  });

  it("fails in the chunk in which level 513 opens, and reads no more", () => {
    const scanner = new JsonScanner();
    const chunk = Buffer.alloc(500, "[");
    expect(scanner.push(chunk)).toBeUndefined();
    const fault = scanner.push(Buffer.alloc(99_500, "["));
    expect(fault).toMatchObject({ kind: "depth", atByte: 512 });
    expect(scanner.push(Buffer.from("not JSON either"))).toBe(fault);
    expect(scanner.end()).toEqual({ ok: false, fault });
  });

  it("has the requested limit", () => {
    expect(scan("[[[]]]", { maxDepth: 3 }).ok).toBe(true);
    expect(messageOf("[[[[]]]]", { maxDepth: 3, subject: "the output" })).toBe(
      "the output is nested deeper than 3 levels, which is the limit, at byte 3",
    );
    expect(scan("[[]]", { maxDepth: 1 }).ok).toBe(false);
    expect(scan("[1]", { maxDepth: 1 }).ok).toBe(true);
  });
});

describe("members", () => {
  it("are the spans of the top level's values, without the space around them", () => {
    const text = ' { "a" : [ 1 ] , "b":-1.5e3 ,"c": "x" , "d":{"a":2},"e":null, "f" :false } ';
    const result = scan(text);
    if (!result.ok) throw new Error(result.fault.message);
    const found = [...result.members].map(([key, { kind, start, end }]) => [
      key,
      kind,
      text.slice(start, end),
    ]);
    expect(found).toEqual([
      ["a", "array", "[ 1 ]"],
      ["b", "number", "-1.5e3"],
      ["c", "string", '"x"'],
      ["d", "object", '{"a":2}'],
      ["e", "null", "null"],
      ["f", "boolean", "false"],
    ]);
  });

  it("are the last of duplicates, even if a duplicate is written with escapes", () => {
    const text = '{"input":1,"input":{},"\\u0069nput":"last"}';
    const result = scan(text);
    expect(result.ok && [...result.members]).toEqual([
      ["input", { kind: "string", start: 35, end: 41 }],
    ]);
  });

  it("can be named __proto__ without touching a prototype", () => {
    const result = scan('{"__proto__":{"polluted":true},"constructor":1}');
    expect(result.ok && [...result.members.keys()]).toEqual(["__proto__", "constructor"]);
    expect(Reflect.get({}, "polluted")).toBeUndefined();
  });

  it("are not recorded for arrays, not even those of objects inside", () => {
    const result = scan('[{"a":1},{"b":2}]');
    expect(result).toEqual({ ok: true, kind: "array", members: new Map(), others: [] });
  });

  it("are found when every character of a wanted key is escaped and each byte comes alone", () => {
    const text = '{"\\u0069\\u006e\\u0070\\u0075\\u0074":7}';
    const scanner = new JsonScanner({ keep: ["input"] });
    for (const byte of Buffer.from(text)) scanner.push(Buffer.of(byte));
    const result = scanner.end();
    expect(result.ok && [...result.members.keys()]).toEqual(["input"]);
  });

  it("that are not wanted use no memory, however many or long", () => {
    const many = Array.from({ length: 10_000 }, (_, index) => `"k${index}":0`).join(",");
    const long = "x".repeat(100_000);
    const result = scan(`{${many},"${long}":1,"input":2}`, { keep: ["input"] });
    expect(result.ok && [...result.members.keys()]).toEqual(["input"]);
  });
});

it.each([
  ["{}", "object"],
  ["[]", "array"],
  ['"x"', "string"],
  ["-12.5", "number"],
  ["0", "number"],
  [" true ", "boolean"],
  ["false", "boolean"],
  ["null\n", "null"],
])("the kind of %s is %s", (text, kind) => {
  expect(scan(text)).toMatchObject({ ok: true, kind });
});

describe("the message of a fault", () => {
  it.each([
    ["", "it is empty; expected a value"],
    [" \n", "it is empty; expected a value"],
    ['{"input":{"a":1,}}', 'unexpected "}" at byte 16; expected a key in double quotes'],
    ["[1,]", 'unexpected "]" at byte 3; expected a value'],
    ["[1 2]", 'unexpected "2" at byte 3; expected "," or "]"'],
    ["{a:1}", 'unexpected "a" at byte 1; expected a key in double quotes or "}"'],
    ['{"a" 1}', 'unexpected "1" at byte 5; expected ":" after the key'],
    ['{"a":"b" "c"}', `unexpected '"' at byte 9; expected "," or "}"`],
    ["{}{}", 'unexpected "{" at byte 2; expected nothing after the value'],
    ["'a'", 'unexpected "\'" at byte 0; expected a value'],
    ["[tru ]", "unexpected space at byte 4; expected the rest of true"],
    ["nil", 'unexpected "i" at byte 1; expected the rest of null'],
    ["fals", "it ends too early, at byte 4; expected the rest of false"],
    [
      "01",
      'unexpected "1" at byte 1; expected the end of the number (a leading zero stands alone)',
    ],
    ["-", "it ends too early, at byte 1; expected a digit"],
    ["1.e5", 'unexpected "e" at byte 2; expected a digit'],
    ["1e", "it ends too early, at byte 2; expected a digit"],
    ["12x", 'unexpected "x" at byte 2; expected the rest of a number'],
    ['"a\nb"', "unexpected byte 0x0a at byte 2; a control character in a string must be escaped"],
    ['"\\x"', 'unexpected "x" at byte 2; expected one of "\\/bfnrtu after the backslash'],
    ['"\\u12g4"', 'unexpected "g" at byte 5; expected four hexadecimal digits after \\u'],
    ['{"a":"b', "it ends too early, at byte 7; expected the rest of a string"],
    ['{"a":[1', 'it ends too early, at byte 7; expected "," or "]"'],
    ["\ufeff{}", "unexpected byte 0xef at byte 0; send UTF-8 without a byte order mark"],
  ])("%j", (text, message) => {
    expect(messageOf(text)).toBe(`the body is not valid JSON: ${message}`);
  });

  it.each([
    ["an overlong form", [0xc0, 0x80], "unexpected byte 0xc0 at byte 1"],
    ["an overlong form of three bytes", [0xe0, 0x80, 0x80], "unexpected byte 0x80 at byte 2"],
    ["an encoded surrogate", [0xed, 0xa0, 0x80], "unexpected byte 0xa0 at byte 2"],
    ["a character above U+10FFFF", [0xf4, 0x90, 0x80, 0x80], "unexpected byte 0x90 at byte 2"],
    ["a lone continuation byte", [0x80], "unexpected byte 0x80 at byte 1"],
    ["a character cut short", [0xe2, 0x82], "unexpected '\"' at byte 3"],
  ])("%s is not valid UTF-8", (_name, bytes, place) => {
    const text = Buffer.from([0x22, ...bytes, 0x22]);
    expect(scan(text)).toMatchObject({
      ok: false,
      fault: { kind: "utf8", message: `the body is not valid UTF-8: ${place}` },
    });
  });

  it("a text that ends inside a character is not valid UTF-8", () => {
    expect(messageOf(Buffer.from([0x22, 0xf0, 0x9f, 0x98]))).toBe(
      "the body is not valid UTF-8: it ends inside a character at byte 4",
    );
  });

  it("has the subject's given name", () => {
    expect(messageOf("}", { subject: "the output" })).toMatch(/^the output is not valid JSON: /);
  });

  it("has a place counted from the first byte of the first chunk", () => {
    const scanner = new JsonScanner();
    scanner.push(Buffer.from('{"input"'));
    expect(scanner.push(Buffer.from(':{"a":1}]'))).toMatchObject({ kind: "syntax", atByte: 16 });
  });
});
