/** A whole service on a data directory: no file, log line or answer contains the password of a registry. */
import { Buffer } from "node:buffer";
import fs from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { startEmulator } from "../../../../emulator/emulator.ts";
import type { EmulatorOptions } from "../../../../emulator/options.ts";
import { temporaryDirectory } from "../../../setup/temporary-directory.ts";

const PASSWORD = 'canary/+ "of a registry" \\ ü';
const USERNAME = "canary-user";
const FORMS = [PASSWORD, USERNAME].flatMap((secret) => [
  secret,
  JSON.stringify(secret).slice(1, -1),
  Buffer.from(secret).toString("base64").replace(/=+$/, ""),
  encodeURIComponent(secret),
]);
const PATH = "/v1/containerregistryauth";

/** A service that records all its output. */
async function start(
  dataDir: string,
  options: Pick<EmulatorOptions, "endpoints" | "secretKey" | "webhookSecret"> = {},
) {
  const said: string[] = [];
  const note = (fields: object, message: string) =>
    void said.push(`${message} ${JSON.stringify(fields)}`);
  const emulator = await startEmulator({
    port: 0,
    s3: false,
    dataDir,
    apiKey: "k",
    log: { info: note, warn: note, error: note },
    ...options,
  });
  const call = async (method: string, address: string, body?: object) => {
    const response = await fetch(`${emulator.url}${address}`, {
      method,
      headers: { authorization: "Bearer k" },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    said.push(text);
    return {
      status: response.status,
      json: text === "" ? undefined : (JSON.parse(text) as unknown),
    };
  };
  return { emulator, said, call, [Symbol.asyncDispose]: () => emulator.stop("kill") };
}

const filesOf = (directory: string) =>
  fs
    .readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));

it("a stored password is found nowhere, and is there after a restart", async () => {
  using temporary = temporaryDirectory();
  const dataDir = path.join(temporary.path, "data");
  const auth = { name: "ghcr", username: USERNAME, password: PASSWORD };
  const texts: string[] = [];
  {
    await using service = await start(dataDir);
    // The webhook secret is encrypted with it.
    expect(fs.existsSync(path.join(dataDir, "secret.key"))).toBe(true);
    expect((await service.call("POST", PATH, auth)).status).toBe(200);
    expect((await service.call("POST", PATH, auth)).status).toBe(400);
    await service.call("POST", PATH, { ...auth, name: "b", password: [PASSWORD] });
    await service.call("POST", PATH, { ...auth, name: USERNAME, extra: PASSWORD });
    // The check includes its journal while it runs.
    texts.push(...filesOf(dataDir).map((file) => fs.readFileSync(file, "latin1")));
    texts.push(...service.said);
  }
  {
    await using service = await start(dataDir);
    expect((await service.call("GET", PATH)).json).toMatchObject([{ name: "ghcr" }]);
    expect(service.said.join()).not.toContain("decrypted");
    texts.push(...service.said);
  }
  {
    const otherKey = Buffer.alloc(32).toString("base64");
    await expect(start(dataDir, { secretKey: otherKey })).rejects.toThrow(
      "the secret that webhook calls are signed with cannot be decrypted: the key is another one",
    );
    const webhookSecret = `whsec_${Buffer.alloc(32).toString("base64")}`;
    await using service = await start(dataDir, { secretKey: otherKey, webhookSecret });
    expect(service.said.join()).toContain("cannot be decrypted: the key is another one");
    texts.push(...service.said);
  }
  const files = filesOf(dataDir);
  const names = files.map((file) => path.basename(file)).toSorted();
  expect(names).toEqual(["secret.key", "store.db", "store.mark"]);
  texts.push(...files.map((file) => fs.readFileSync(file, "latin1")));
  // The name was found, so the right places are searched.
  expect(texts.filter((text) => text.includes("ghcr")).length).toBeGreaterThan(2);
  for (const form of FORMS) {
    const latin1 = Buffer.from(form).toString("latin1");
    expect(texts.filter((text) => text.includes(form) || text.includes(latin1))).toEqual([]);
  }
  expect(fs.statSync(path.join(dataDir, "secret.key")).mode & 0o777).toBe(0o600);
});

it("no file contains the secrets of webhooks and of a job's bucket as plain text", async () => {
  using temporary = temporaryDirectory();
  const dataDir = path.join(temporary.path, "data");
  const accessSecret = "canary-of-a-bucket/+key";
  const s3Config = { accessId: "canary-id", accessSecret, bucketName: "b" };
  const endpoints = { keeps: { handler: () => true, workersMax: 0 } };
  const texts = () => filesOf(dataDir).map((file) => fs.readFileSync(file, "latin1"));
  let signed = "";
  for (const restarts of [0, 1]) {
    await using service = await start(dataDir, { endpoints });
    const job = { input: { canary: `input ${restarts}` }, s3Config };
    expect((await service.call("POST", "/v2/keeps/run", job)).status).toBe(200);
    // The secret is the same after a restart.
    signed ||= service.emulator.webhookSecret;
    expect(service.emulator.webhookSecret).toBe(signed);
    const found = texts().join();
    expect(found).toContain(`input ${restarts}`);
    for (const secret of [accessSecret, "canary-id", signed, signed.slice("whsec_".length)])
      expect(found).not.toContain(secret);
  }
});
