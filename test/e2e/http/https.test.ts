/** A built `sv-emulate` over HTTPS: its addresses, its own commands, a renewed certificate, and its end. */
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { connect } from "node:tls";
import { Agent, request } from "undici";
import { expect, test } from "vitest";
import { makeCertificate, writeCertificate } from "../../setup/certificates.ts";
import { temporaryTree } from "../../temporary-tree.ts";
import {
  type EmulatorProcess,
  type EmulatorProcessOptions,
  runEmulatorProcess,
  startEmulatorProcess,
} from "../emulator-process.ts";

const TREE = {
  "echo.js": `
    import { existsSync } from "node:fs";
    import { setTimeout } from "node:timers/promises";
    export default async function (job) {
      const { until } = job.input;
      while (until !== undefined && !existsSync(until)) await setTimeout(20);
      return job.input;
    }`,
};

/** Output and exit code of a command of `sv-emulate`. */
async function command(
  args: readonly string[],
  { url, apiKey = "" }: EmulatorProcess,
  env: EmulatorProcessOptions["env"] = {},
) {
  const given = { SV_URL: url, SV_API_KEY: apiKey, SV_PORT: "0", ...env };
  return runEmulatorProcess({ args, env: given });
}

test("over HTTPS commands and clients call the emulator, a renewed certificate is used, and the end is announced", async () => {
  await using tree = await temporaryTree(TREE);
  const [first, second] = [makeCertificate(), makeCertificate()];
  const files = writeCertificate(tree.root, first);
  const args = ["echo.js", "--ephemeral", "--tls-cert", "cert.pem", "--tls-key", "key.pem"];
  await using emulator = await startEmulatorProcess({ args, cwd: tree.root });
  const { url, apiKey } = emulator;
  expect(url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/u);

  // The emulator's own commands trust this certificate.
  const ready = await command(["ready", "--wait", "30s"], emulator);
  expect([ready.code, ready.stdout]).toEqual([0, "ready"]);
  const trusted = { NODE_EXTRA_CA_CERTS: files.cert };
  const link = await command(["open"], emulator, trusted);
  expect(link.stdout).toMatch(/^https:/u);
  const untrusted = await command(["endpoints"], emulator);
  expect([untrusted.code, untrusted.stderr]).toEqual([
    6,
    expect.stringContaining("NODE_EXTRA_CA_CERTS names a file with its authority"),
  ]);

  // Other clients need the certificate.
  const dispatcher = new Agent({ connect: { ca: [first.cert, second.cert] } });
  const headers = { authorization: `Bearer ${apiKey}` };
  const call = async (path: string, body?: object) => {
    const method = body === undefined ? "GET" : "POST";
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await request(`${url}${path}`, { method, headers, dispatcher, ...sent });
    return [answer.statusCode, await answer.body.json()];
  };
  expect(await call("/v2/echo/runsync", { input: { a: 1 } })).toMatchObject([
    200,
    { status: "COMPLETED", output: { a: 1 } },
  ]);

  // SIGHUP loads the renewed certificate.
  writeCertificate(tree.root, second);
  emulator.child.kill("SIGHUP");
  await emulator.stderrMatch(/the certificate in .* has changed/u);
  const socket = connect({ port: Number(new URL(url).port), host: "127.0.0.1", ca: second.cert });
  await once(socket, "secureConnect");
  socket.destroy();
  expect(await call("/readyz")).toEqual([200, { ready: true }]);

  // While a job ends, the port is open and refuses new jobs.
  await call("/v2/echo/run", { input: { until: tree.path("end") } });
  await expect
    .poll(async () => call("/v2/echo/health"))
    .toMatchObject([200, { jobs: { inProgress: 1 } }]);
  const exited = emulator.stop();
  await expect
    .poll(async () => call("/readyz"))
    .toMatchObject([503, { code: "not_ready", problems: ["the service is stopping"] }]);
  const last = await command(["ready"], emulator);
  expect([last.code, last.stderr]).toEqual([
    7,
    expect.stringContaining("not ready: the service is stopping"),
  ]);
  await dispatcher.destroy();
  await writeFile(tree.path("end"), "");
  expect(await exited).toEqual({ code: 0, signal: null });
  expect((await command(["ready"], emulator)).code).toBe(6);
});

test("an unusable certificate is refused as wrong usage", async () => {
  await using tree = await temporaryTree(TREE);
  const { cert } = writeCertificate(tree.root, {
    ...makeCertificate(),
    key: makeCertificate().key,
  });
  const start = async (...args: readonly string[]) => {
    const { code, stderr } = await runEmulatorProcess({
      args: ["echo.js", "--ephemeral", "--log", "pretty", ...args],
      cwd: tree.root,
    });
    return [code, stderr];
  };
  expect(await start("--tls-cert", "cert.pem", "--tls-key", "key.pem")).toEqual([
    2,
    expect.stringContaining(`key.pem is not the private key of ${cert}`),
  ]);
  expect(await start("--tls-cert", "cert.pem")).toEqual([
    2,
    "error: --tls-cert needs --tls-key, the private key of the certificate",
  ]);
});
