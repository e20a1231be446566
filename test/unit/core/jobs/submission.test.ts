/** Valid submissions, and their input. */
import { describe, expect, it } from "vitest";
import {
  createSubmissionScanner,
  readSubmission,
} from "../../../../emulator/core/jobs/submission.ts";
import { readBody, readWith, refusalOf, textOf } from "./submission-bodies.ts";

describe("input", () => {
  it("is kept as the sent text: big integers, key order, duplicates and space", () => {
    const raw = '{ "b":12345678901234567890, "a":1.10,"b":[ ] , "é":"\\u00e9" }';
    expect(textOf(readBody(`{"input":${raw}}`).input)).toBe(raw);
  });

  it("is a view of the body and not a copy", () => {
    const body = Buffer.from('{"input":{"a":1}}');
    const scanner = createSubmissionScanner();
    scanner.push(body);
    const { input } = readSubmission(scanner.end(), body);
    expect(input.buffer).toBe(body.buffer);
  });

  it("may be an empty object", () => {
    expect(textOf(readBody('{"input":{}}').input)).toBe("{}");
  });

  it("is the last of several", () => {
    expect(textOf(readBody('{"input":{"a":1},"input":{"a":2}}').input)).toBe('{"a":2}');
    expect(refusalOf('{"input":{},"input":7}').problems).toEqual([
      "input must be an object; got a number",
    ]);
  });

  it("may have __proto__ keys, which are ordinary data", () => {
    const raw = '{"__proto__":{"polluted":true}}';
    expect(textOf(readBody(`{"__proto__":{"input":1},"input":${raw}}`).input)).toBe(raw);
    expect(Reflect.get({}, "polluted")).toBeUndefined();
  });

  it("is required", () => {
    expect(refusalOf('{"prompt":"hello"}').problems).toEqual([
      "input is required: an object with the parameters of the handler",
    ]);
  });

  it.each([
    ["null", "null"],
    ['"x"', "a string"],
    ["7", "a number"],
    ["true", "a boolean"],
    ["[]", "an array"],
  ])("may not be %s", (text, kind) => {
    expect(refusalOf(`{"input":${text}}`).problems).toEqual([
      `input must be an object; got ${kind}`,
    ]);
  });
});

describe("a body", () => {
  it.each([
    ["[]", "an array"],
    ['"input"', "a string"],
    ["null", "null"],
    ["7", "a number"],
  ])("that is no object is refused: %s", (body, kind) => {
    const refusal = refusalOf(body);
    expect(refusal.toBody()).toMatchObject({
      code: "invalid_request",
      status: 400,
      error: `the body must be an object with the key "input"; got ${kind}`,
    });
  });

  it.each([
    ["", "it is empty"],
    ['{"input":{}', "it ends too early, at byte 11"],
    ["input=x", 'unexpected "i" at byte 0'],
    [Buffer.from([0x7b, 0x22, 0xff]), "not valid UTF-8: unexpected byte 0xff at byte 2"],
    [`{"input":${'{"a":'.repeat(100_000)}`, "nested deeper than 512 levels"],
  ])("that is no JSON is refused", (body, reason) => {
    const refusal = refusalOf(body);
    expect(refusal).toMatchObject({ code: "invalid_json", status: 400, problems: undefined });
    expect(refusal.message).toContain(reason);
  });

  it("may have keys that the service does not know", () => {
    const submission = readWith('"webhookV2":"x","id":7,"__proto__":{"policy":{"ttl":5}}');
    expect(submission).toStrictEqual({
      input: submission.input,
      policy: { lowPriority: false, ttlMs: 86_400_000 },
    });
  });

  it("is refused with all its problems at once", () => {
    expect(refusalOf('{"input":1,"webhook":2,"policy":3,"s3Config":4}').problems).toEqual([
      "input must be an object; got a number",
      "webhook must be an http or https URL; got 2",
      "policy must be an object; got a number",
      "s3Config must be an object; got a number",
    ]);
  });
});
