/** Members of a submission besides its input: each rule, and both sides of each bound. */
import { describe, expect, it } from "vitest";
import { problemsWith, readBody, readWith, refusalOf, textOf } from "./submission-bodies.ts";

describe("webhook", () => {
  it.each([
    "http://127.0.0.1:8080/hook",
    "https://example.com",
    "HTTPS://example.com:8443/a?b=c@d#e",
    "https://example.com/ä",
    "http://[::1]/x",
  ])("may be %s and is kept as sent", (url) => {
    expect(readWith(`"webhook":${JSON.stringify(url)}`).webhook).toBe(url);
  });

  it.each([
    '""',
    '"example.com/hook"',
    '"ftp://example.com"',
    '"http:example.com"',
    '"http://"',
    '"http://exa mple.com"',
    '"https://example.com/a\\nb"',
    '"https://example.com/\\u0000"',
    '" https://example.com"',
    '"javascript:alert(1)"',
    '"https://example.com:99999"',
    "true",
    "7",
    "null",
  ])("may not be %s", (text) => {
    expect(problemsWith(`"webhook":${text}`)).toEqual([
      `webhook must be an http or https URL; got ${text}`,
    ]);
  });
});

describe("policy", () => {
  it("has its defaults if it is missing or empty; the endpoint sets the execution time", () => {
    const defaults = { lowPriority: false, ttlMs: 86_400_000 };
    expect(readBody('{"input":{}}').policy).toStrictEqual(defaults);
    expect(readWith('"policy":{}').policy).toStrictEqual(defaults);
  });

  it("is read with all its fields", () => {
    const members = '"policy":{"executionTimeout":60000,"lowPriority":true,"ttl":3600000}';
    expect(readWith(members).policy).toStrictEqual({
      executionTimeoutMs: 60_000,
      lowPriority: true,
      ttlMs: 3_600_000,
    });
  });

  it.each([
    ["executionTimeout", "executionTimeoutMs", 5_000],
    ["executionTimeout", "executionTimeoutMs", 604_800_000],
    ["ttl", "ttlMs", 10_000],
    ["ttl", "ttlMs", 604_800_000],
  ])("may have %s (%s) at its bound %i", (field, name, ms) => {
    expect(readWith(`"policy":{"${field}":${ms}}`).policy).toMatchObject({ [name]: ms });
  });

  it.each([
    ["executionTimeout", 5_000, ["4999", "604800001", "0", "-5000", "5000.5", "1e300"]],
    ["ttl", 10_000, ["9999", "604800001", "5", "-1", "10000.1"]],
  ])("may not have %s outside %i to 604800000", (field, min, values) => {
    for (const value of values) {
      expect(problemsWith(`"policy":{"${field}":${value}}`)).toEqual([
        `policy.${field} must be an integer from ${min} to 604800000 (ms); got ${Number(value)}`,
      ]);
    }
  });

  it.each([
    ['"60000"', '"60000"'],
    ["null", "null"],
    ["true", "true"],
    ["[60000]", "an array"],
    ["{}", "an object"],
    ["1e400", "Infinity"],
  ])("may not have %s for a number", (text, words) => {
    expect(problemsWith(`"policy":{"ttl":${text}}`)).toEqual([
      `policy.ttl must be an integer from 10000 to 604800000 (ms); got ${words}`,
    ]);
  });

  it.each(["0", '"true"', "null"])("may not have lowPriority %s", (text) => {
    expect(problemsWith(`"policy":{"lowPriority":${text}}`)).toEqual([
      `policy.lowPriority must be a boolean; got ${text}`,
    ]);
  });

  it.each([
    ["null", "null"],
    ["[]", "an array"],
    ['"fast"', "a string"],
  ])("may not be %s", (text, kind) => {
    expect(problemsWith(`"policy":${text}`)).toEqual([`policy must be an object; got ${kind}`]);
  });

  it("may not have an unknown key, and the refusal names the probably intended one", () => {
    expect(problemsWith('"policy":{"execution_timeout":60000,"retries":3}')).toEqual([
      'policy has the unknown key "execution_timeout"; did you mean executionTimeout?',
      'policy has the unknown key "retries"; known are executionTimeout, lowPriority, ttl',
    ]);
  });

  it("may not have __proto__, like any unknown key, and changes no prototype", () => {
    expect(problemsWith('"policy":{"__proto__":{"ttl":60000}}')).toEqual([
      'policy has the unknown key "__proto__"; known are executionTimeout, lowPriority, ttl',
    ]);
    expect(Reflect.get({}, "ttl")).toBeUndefined();
  });
});

it("a refusal of a policy or a webhook is an invalid request", () => {
  for (const member of ['"policy":{"ttl":1}', '"webhook":""']) {
    expect(refusalOf(`{"input":{},${member}}`)).toMatchObject({
      code: "invalid_request",
      status: 400,
    });
  }
});

describe("s3Config", () => {
  it("is kept as the sent text, with keys unknown to the service", () => {
    const raw =
      '{ "accessId":"id","accessSecret":"s","bucketName":"b","endpointUrl":"https://s3.example.com", "objectPath":"x", "n":1.0 }';
    expect(textOf(readWith(`"s3Config":${raw}`).s3Config)).toBe(raw);
  });

  it("need not have every key", () => {
    expect(textOf(readWith('"s3Config":{"bucketName":"b"}').s3Config)).toBe('{"bucketName":"b"}');
  });

  it.each(["accessId", "accessSecret", "bucketName"])(
    "may not have %s other than a string",
    (key) => {
      expect(problemsWith(`"s3Config":{"${key}":12345}`)).toEqual([
        `s3Config.${key} must be a string; got a number`,
      ]);
      expect(problemsWith(`"s3Config":{"${key}":null}`)).toEqual([
        `s3Config.${key} must be a string; got null`,
      ]);
    },
  );

  it("may not have an endpointUrl other than a URL", () => {
    expect(problemsWith('"s3Config":{"endpointUrl":"s3.example.com"}')).toEqual([
      's3Config.endpointUrl must be an http or https URL; got "s3.example.com"',
    ]);
  });

  it("may not be an array", () => {
    expect(problemsWith('"s3Config":["id","secret"]')).toEqual([
      "s3Config must be an object; got an array",
    ]);
  });

  it("may have __proto__ keys, which are ordinary data", () => {
    const raw = '{"__proto__":{"accessId":1}}';
    expect(textOf(readWith(`"s3Config":${raw}`).s3Config)).toBe(raw);
  });
});

it.each([
  ["webhook", 8_192, (bytes: number) => `"https://a.b/${"x".repeat(bytes - 14)}"`],
  ["policy", 8_192, (bytes: number) => `{${" ".repeat(bytes - 13)}"ttl":60000}`],
  ["s3Config", 65_536, (bytes: number) => `{"x":"${"y".repeat(bytes - 8)}"}`],
] as const)("%s may have %d bytes of JSON at most", (member, bytes, of) => {
  expect(readWith(`"${member}":${of(bytes)}`)[member]).toBeDefined();
  expect(problemsWith(`"${member}":${of(bytes + 1)}`)).toEqual([
    `${member} must be at most ${bytes} bytes of JSON; got ${bytes + 1} bytes`,
  ]);
});
