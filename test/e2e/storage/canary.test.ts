/** Plants secrets of object storage, makes every part of the service handle them, and looks for them everywhere. */
import fs from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { temporaryDirectory } from "../../setup/temporary-directory.ts";
import { type EmulatorProcess, startEmulatorProcess } from "../emulator-process.ts";

const HANDLER = path.resolve(import.meta.dirname, "../../fixtures/handlers/uploads-as-told.ts");
const ENDPOINT = "uploads-as-told";
/** Contains characters that JSON, addresses and shells escape. */
const PLANTED = 'canary/+ "of a job" \\ ü';
const formsOf = (secret: string): readonly string[] => [
  secret,
  JSON.stringify(secret).slice(1, -1),
  encodeURIComponent(secret),
  Buffer.from(secret).toString("base64"),
];

const temporary = temporaryDirectory();
const dataDir = path.join(temporary.path, "data");
const said: string[] = [];
let emulator: EmulatorProcess;
/** Secrets of the emulator's own store, which every worker gets. */
let ownSecret: string;

beforeAll(async () => {
  const args = [HANDLER, "--data-dir", dataDir, "--log", "json"];
  emulator = await startEmulatorProcess({ args });
  const kept = fs.readFileSync(path.join(dataDir, "objects", "credentials"), "utf8");
  ownSecret = /aws_secret_access_key = (\S+)/u.exec(kept)?.[1] ?? "";
});

afterAll(async () => {
  await emulator[Symbol.asyncDispose]();
  temporary[Symbol.dispose]();
});

async function ask(address: string, body?: object): Promise<Record<string, unknown>> {
  const response = await fetch(`${emulator.url}${address}`, {
    method: body === undefined ? "GET" : "POST",
    headers: {
      authorization: `Bearer ${emulator.apiKey ?? ""}`,
      "content-type": "application/json",
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  said.push(text, JSON.stringify([...response.headers]));
  return JSON.parse(text) as Record<string, unknown>;
}

/** Runs a job and reads it in every way there is. */
async function play(way: string, s3Config?: object): Promise<unknown> {
  const submission = { input: { way }, ...(s3Config === undefined ? {} : { s3Config }) };
  const job = await ask(`/v2/${ENDPOINT}/runsync?wait=60000`, submission);
  for (const view of ["status", "stream"])
    await ask(`/v2/${ENDPOINT}/${view}/${String(job["id"])}`);
  return job["status"];
}

/** Every file of the data directory except those below the given places. */
function filesBeside(...places: readonly string[]): string[] {
  const entries = fs.readdirSync(dataDir, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => !places.some((place) => path.relative(dataDir, file).startsWith(place)));
}

test("no answer, no log line and no file contains planted secrets, except the files that keep them", async () => {
  expect(ownSecret.length).toBeGreaterThan(20);
  const theirs = { accessId: "canary-id", accessSecret: PLANTED, bucketName: "b" };
  const refusing = { ...theirs, endpointUrl: emulator.url };
  const gone = { ...theirs, endpointUrl: "http://127.0.0.1:9" };

  expect(await play("uploads")).toBe("COMPLETED");
  expect(await play("returns 21 MB")).toBe("COMPLETED");
  for (const s3Config of [undefined, refusing, gone]) {
    expect(await play("tells everything", s3Config)).toBe("FAILED");
  }
  expect(await play("uploads", refusing)).toBe("FAILED");
  expect(await play("lets somebody else throw it", refusing)).toBe("FAILED");
  // The refusal names the problem, not the value.
  for (const wrong of [{ accessId: 7 }, { endpointUrl: PLANTED }, { [PLANTED]: PLANTED }]) {
    await ask(`/v2/${ENDPOINT}/run`, { input: {}, s3Config: { ...refusing, ...wrong } });
  }
  await ask(`/v2/${ENDPOINT}/health`);
  await ask("/v1/endpoints?includeTemplate=true");
  await ask("/v1/templates");
  expect(await emulator.stop()).toEqual({ code: 0, signal: null });

  const lines = [...emulator.stdoutLines, ...emulator.stderrLines];
  // The handler has tried.
  expect(lines.join("\n")).toContain("[secret]");
  // The database holds the submissions, which the worker may read; the credentials' file holds the store's keys.
  const files = filesBeside("objects/credentials", "store.db");
  const texts = [...said, ...lines, ...files.map((file) => fs.readFileSync(file, "utf8"))];
  for (const form of [...formsOf(PLANTED), ...formsOf(ownSecret)]) {
    expect(texts.filter((text) => text.includes(form)).map((text) => text.slice(0, 300))).toEqual(
      [],
    );
  }
  expect(fs.statSync(dataDir).mode & 0o077).toBe(0);
});
