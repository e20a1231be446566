/** The announcement of the service, with curl lines that any shell accepts, and the summary at the end. */
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import {
  type Announcement,
  invitation,
  limitSentence,
  readyLine,
  s3Sentence,
} from "../../../../emulator/cli/serve/announcement.ts";

const announcement: Announcement = {
  url: "http://127.0.0.1:7080",
  endpointIds: ["hello", "tokens"],
  apiKey: "k-1",
  isNewKey: false,
  s3: undefined,
};

/** The arguments of every curl in the text, as a shell passes them. */
function curlArguments(text: string, env: Readonly<Record<string, string>> = {}): string[][] {
  const commands = text.match(/curl [^|)\n]*/g) ?? [];
  return commands.map((command) => {
    const script = command.replace(/^curl/, "printf '%s\\n'");
    return execFileSync("/bin/sh", ["-c", script], { env, encoding: "utf8" }).trimEnd().split("\n");
  });
}

test("the ready line has the text that programs wait for", () => {
  expect(readyLine(announcement)).toBe("ready http://127.0.0.1:7080\n");
});

test("each endpoint has a line to call it, with its own example input if there is one", () => {
  const body = `{"input":{"prompt":"it's"}}`;
  const exampleCalls = new Map([["tokens", { path: "openai/v1/completions", body }]]);
  const calls = curlArguments(invitation({ ...announcement, exampleCalls }));
  const key = "Authorization: Bearer k-1";
  const base = "http://127.0.0.1:7080/v2";
  expect(calls).toEqual([
    ["-s", `${base}/hello/runsync`, "-H", key, "-d", '{"input":{}}'],
    ["-s", `${base}/tokens/openai/v1/completions`, "-H", key, "-d", body],
  ]);
});

test("the announcement shows the key and the addresses, and then the example calls", () => {
  expect(invitation({ ...announcement, isNewKey: true })).toBe(`
API key (shown once): k-1
API reference: http://127.0.0.1:7080/docs

hello
  curl -s http://127.0.0.1:7080/v2/hello/runsync -H 'Authorization: Bearer k-1' -d '{"input":{}}'

tokens
  curl -s http://127.0.0.1:7080/v2/tokens/runsync -H 'Authorization: Bearer k-1' -d '{"input":{}}'

`);
});

test("the link to a dashboard comes first", () => {
  const dashboard = "http://127.0.0.1:7080/?ticket=t";
  expect(invitation({ ...announcement, dashboard })).toMatch(
    /^\nDashboard \(one-time link\): http:\/\/127\.0\.0\.1:7080\/\?ticket=t\nAPI reference/u,
  );
});

test("five of many endpoints are shown", () => {
  const endpointIds = Array.from({ length: 12 }, (_, nr) => `e${nr}`);
  const text = invitation({ ...announcement, endpointIds });
  expect(curlArguments(text)).toHaveLength(5);
  expect(text).toMatch(/\n… and 7 more endpoints\n\n$/);
});

test("an endpoint with servers as workers has a line to call them", () => {
  const calls = curlArguments(invitation({ ...announcement, balancedIds: ["tokens"] }));
  const urls = calls.map((parts) => parts.find((part) => part.startsWith("http")));
  expect(urls.at(-1)).toBe("http://127.0.0.1:7080/lb/tokens/");
  expect(urls).toHaveLength(2);
});

test("a key with quotes reaches curl unchanged", () => {
  const apiKey = `it's "$HOME" \`x\``;
  const [first] = curlArguments(invitation({ ...announcement, apiKey }), { HOME: "wrong" });
  expect(first).toContain(`Authorization: Bearer ${apiKey}`);
});

test("a new key is shown, a known one is not", () => {
  expect(invitation({ ...announcement, isNewKey: true })).toContain("API key (shown once): k-1\n");
  expect(invitation(announcement)).not.toContain("API key");
});

test("if only the digest of the key is known, the calls use a variable, and the text says how to set a key", () => {
  const text = invitation({ ...announcement, apiKey: undefined });
  expect(text).toContain("start with SV_API_KEY=<key>");
  const [first] = curlArguments(text, { SV_API_KEY: "mine" });
  expect(first).toContain("Authorization: Bearer mine");
});

test("the announcement tells S3 clients the object store and the file with the secret", () => {
  const s3 = {
    endpoint: "http://127.0.0.1:7081",
    accessKeyId: "SVID",
    credentialsFile: "/data/objects/credentials",
  };
  const sentence =
    "object store (S3, path style) at http://127.0.0.1:7081, access key id SVID, secret in /data/objects/credentials";
  expect(s3Sentence(s3)).toBe(sentence);
  expect(invitation({ ...announcement, s3 })).toContain(`/docs\n${sentence}\n\n`);
  expect(invitation(announcement)).not.toContain("S3");
});

const at = Date.UTC(2026, 0, 1);
const exceeded = {
  endpointId: "hello",
  operation: "/run",
  count: 37,
  rate: { peak: 1_037, limit: 1_000 },
  concurrency: { peak: 12, limit: 200 },
  firstAt: at,
  lastAt: at + 1_500,
};

test("the summary shows the number of requests over a limit, the peaks, the limits and the times", () => {
  expect(limitSentence(exceeded, "enforce")).toBe(
    "rate limits: 37 requests to /run of hello were answered 429, as in production: up to 1037 in 10 s where 1000 are allowed; up to 12 at once where 200 are allowed; from 2026-01-01T00:00:00.000Z to 2026-01-01T00:00:01.500Z",
  );
});

test("the summary in warn mode says what production would have done, and uses the singular for one request", () => {
  const one = { ...exceeded, count: 1, concurrency: undefined, lastAt: at };
  expect(limitSentence(one, "warn")).toBe(
    "rate limits: 1 request to /run of hello would have been answered 429 in production: up to 1037 in 10 s where 1000 are allowed; at 2026-01-01T00:00:00.000Z",
  );
});
