/** `sv-emulate move` of the built program: the state after a kill, and the commands that it prints next. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, inject, it } from "vitest";
import { startOwnS3 } from "../../setup/own-s3.ts";
import { postgresIsMissing } from "../../setup/postgres.ts";
import { freshDatabase } from "../../setup/shared-postgres.ts";
import { startTcpProxy } from "../../setup/tcp-proxy.ts";
import { runEmulatorProcess, program, startEmulatorProcess } from "../emulator-process.ts";
import { through } from "../../unit/store/postgres/database.ts";
import { OnDatabase, SECRET_KEY } from "./on-database.ts";

const UNFINISHED = /code 4[^]*was not finished; run sv-emulate move again/u;
const API_KEY = "key-of-the-directory";

/** Like a directory of an earlier version, which created the key with the first secret. */
function withoutSecrets(directory: string): void {
  using db = new DatabaseSync(path.join(directory, "store.db"));
  db.exec("DELETE FROM record WHERE kind IN ('webhookSecret', 'secretCheck')");
  fs.rmSync(path.join(directory, "secret.key"), { force: true });
}

describe.runIf(postgresIsMissing === undefined)("sv-emulate move", () => {
  const args = ["handlers", "--data-dir", "data", "--log", "json"];

  /** A data directory with three jobs, without a secret. */
  async function filled() {
    const service = await OnDatabase.set([], await freshDatabase(inject("sharedPostgres")));
    const { root } = service.tree;
    const before = await startEmulatorProcess({ args, cwd: root, env: { SV_API_KEY: API_KEY } });
    for (const n of [1, 2, 3])
      expect(await call(before.url, "runsync", { input: { n } })).toBe(200);
    await before.stop();
    withoutSecrets(path.join(root, "data"));
    return service;
  }

  async function call(url: string, operation: string, body?: unknown): Promise<number> {
    const headers = { authorization: `Bearer ${API_KEY}` };
    const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    return (await fetch(`${url}/v2/echo/${operation}`, { headers, ...sent })).status;
  }

  /** Message of a refused start. */
  async function startOn({ tree, store }: OnDatabase): Promise<string> {
    try {
      await using _ = await startEmulatorProcess({
        args: [...args, "--store", store],
        cwd: tree.root,
        env: { SV_SECRET_KEY: SECRET_KEY },
      });
      return "started";
    } catch (error) {
      return String(error);
    }
  }

  /** First words of its statements, in order. */
  const all = ["CREATE SCHEMA", "INSERT INTO replica", "SELECT kind, id, json", "INSERT INTO job"];
  it.each(all)(
    "killed at %j leaves a database that no emulator starts on until the move is done",
    async (words) => {
      await using service = await filled();
      const { tree, store } = service;
      const url = new URL(store);
      await using proxy = await startTcpProxy(Number(url.port));
      const reached = proxy.cutAt(words, "cut-before");
      const child = spawn(process.execPath, [program, "move", "--from", "data"], {
        cwd: tree.root,
        env: { ...process.env, SV_STORE: through(store, proxy.port) },
        stdio: "ignore",
      });
      await reached;
      child.kill("SIGKILL");
      if (words !== "CREATE SCHEMA") expect(await startOn(service)).toMatch(UNFINISHED);
      const moved = await runEmulatorProcess({
        args: ["move", "--from", "data", "--to", store],
        cwd: tree.root,
      });
      expect(moved.stdout).toMatch(/^moved: 3 jobs,/m);
    },
  );

  it.each(["given", "in the environment"])(
    "prints commands that start an emulator, also without a secret.key, with addresses %s",
    async (where) => {
      await using s3 = await startOwnS3();
      await using service = await filled();
      const { root } = service.tree;
      fs.writeFileSync(path.join(root, "handler.js"), "export default (job) => job.input;");
      const objects = `s3://${s3.bucket}/moved?endpoint=${s3.url}`;
      const keys = {
        AWS_ACCESS_KEY_ID: s3.accessKeyId,
        AWS_SECRET_ACCESS_KEY: s3.secretAccessKey,
      };
      const isGiven = where === "given";
      const flags = isGiven ? ["--to", service.store, "--objects", objects] : [];
      const env = isGiven ? keys : { ...keys, SV_STORE: service.store, SV_OBJECTS: objects };
      const moved = await runEmulatorProcess({
        args: ["move", "--from", "data", ...flags],
        cwd: root,
        env,
      });
      const commands = moved.stdout.split("\n").filter((line) => line.startsWith("  "));
      fs.writeFileSync(
        path.join(root, "sv-emulate"),
        `#!/bin/sh\nexec ${process.execPath} ${program} --port 0 "$@"\n`,
        { mode: 0o755 },
      );
      const script = commands.join("\n").replace("sv-emulate", "exec sv-emulate");
      const child = spawn("sh", ["-ec", script], {
        cwd: root,
        env: { PATH: `${root}:${process.env["PATH"]}`, SV_API_KEY: API_KEY, ...env },
        stdio: ["ignore", "pipe", "inherit"],
      });
      const ended = once(child, "close");
      const [said] = (await Promise.race([once(child.stdout, "data"), ended])) as [Buffer];
      expect(String(said)).toMatch(/^ready http/m);
      const [, url = ""] = /^ready (\S+)$/m.exec(String(said)) ?? [];
      expect(await call(url, "requests")).toBe(200);
      child.kill("SIGTERM");
      await ended;
    },
  );
});
