/** Starts of the built emulator on a real PostgreSQL that are refused, and the move of a data directory to it. */
import fs from "node:fs";
import { describe, expect, inject, it } from "vitest";
import { addressOn, startOwnS3 } from "../../setup/own-s3.ts";
import { postgresIsMissing } from "../../setup/postgres.ts";
import { freshDatabase } from "../../setup/shared-postgres.ts";
import { runEmulatorProcess, startEmulatorProcess } from "../emulator-process.ts";
import { OnDatabase, SECRET_KEY, type ShownJob } from "./on-database.ts";
import { testInFull } from "../../setup/size.ts";

const OTHER_KEY = Buffer.alloc(32, 9).toString("base64");

describe.runIf(postgresIsMissing === undefined)("a start on PostgreSQL", () => {
  const database = () => freshDatabase(inject("sharedPostgres"));

  it("is refused while another emulator has the database, which goes on undisturbed", async () => {
    await using service = await OnDatabase.set();
    await service.start();
    const second = await runEmulatorProcess({
      args: ["handlers", "--data-dir", "elsewhere", "--store", service.store],
      cwd: service.tree.root,
      env: { SV_SECRET_KEY: SECRET_KEY },
    });
    expect(second.code).toBe(4);
    expect(second.stderr).toContain("in use by another emulator");
    const id = await service.run("echo", { n: 1 });
    await service.until("echo", id, "COMPLETED");
  });

  testInFull(
    "is refused without a key, with another key, and without a server, and shows no password",
    async () => {
      await using service = await OnDatabase.set();
      const start = (store: string, env: Readonly<Record<string, string>>) =>
        runEmulatorProcess({ args: ["handlers", "--store", store], cwd: service.tree.root, env });
      const keyless = await start(service.store, {});
      expect([keyless.code, keyless.stderr]).toEqual([4, expect.stringContaining("SV_SECRET_KEY")]);
      await service.start();
      await service.stop();
      const wrong = await start(service.store, { SV_SECRET_KEY: OTHER_KEY });
      expect(wrong.code).toBe(4);
      expect(wrong.stderr).toContain("SV_SECRET_KEY is not the key");
      expect(wrong.stderr).toContain("rotate-secret-key");
      const away = await start("postgres://ada:hush@127.0.0.1:9/sv", { SV_SECRET_KEY: SECRET_KEY });
      expect(away.code).toBe(4);
      expect(away.stderr).toContain("127.0.0.1:9/sv");
      expect(away.stderr).not.toContain("hush");
      const noAddress = await start("mysql://ada:hush@host/sv", { SV_SECRET_KEY: SECRET_KEY });
      expect(noAddress.code).toBe(2);
      expect(noAddress.stderr).not.toContain("hush");
    },
  );

  testInFull("after a command changes the key, only the new key works", async () => {
    await using service = await OnDatabase.set();
    await service.start();
    const auth = { name: "example", username: "ada", password: "hush" };
    expect((await service.ask("/v1/containerregistryauth", auth)).status).toBeLessThan(300);
    const rotate = () =>
      runEmulatorProcess({
        args: ["rotate-secret-key", "--store", service.store],
        env: { SV_SECRET_KEY: SECRET_KEY, SV_NEW_SECRET_KEY: OTHER_KEY },
      });
    expect((await rotate()).stderr).toContain("in use by another emulator");
    await service.stop();
    expect((await rotate()).stdout).toContain("encrypted anew: 2 secrets");
    expect((await rotate()).stdout).toContain("nothing to do");
    await expect(service.start()).rejects.toThrow("SV_SECRET_KEY is not the key");
    await using next = await startEmulatorProcess({
      args: ["handlers", "--data-dir", "next", "--store", service.store, "--log", "json"],
      cwd: service.tree.root,
      env: { SV_SECRET_KEY: OTHER_KEY },
    });
    await next.stop();
    expect(next.stderrLines.join("\n")).not.toContain("cannot be decrypted");
  });

  testInFull(
    "continues with the jobs and the key of a data directory that was moved there",
    async () => {
      await using s3 = await startOwnS3();
      const store = await database();
      await using service = await OnDatabase.set([], store);
      const { root } = service.tree;
      const args = ["handlers", "--data-dir", "data", "--log", "json"];
      const apiKey = "key-of-the-directory";
      const before = await startEmulatorProcess({ args, cwd: root, env: { SV_API_KEY: apiKey } });
      const headers = { authorization: `Bearer ${apiKey}` };
      const ask = async (url: string, path: string, body?: unknown) => {
        const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
        return (await (await fetch(`${url}${path}`, { headers, ...sent })).json()) as ShownJob;
      };
      const input = { text: "0123456789".repeat(100_000) };
      // A job of /runsync is kept for only a minute, and moves take longer on a loaded machine.
      const { id } = await ask(before.url, "/v2/echo/run", { input });
      const auth = { name: "example", username: "ada", password: "hush" };
      await ask(before.url, "/v1/containerregistryauth", auth);
      const status = async () => (await ask(before.url, `/v2/echo/status/${id}`)).status;
      await expect.poll(status).toBe("COMPLETED");
      const shown = await ask(before.url, `/v2/echo/status/${id}`);
      const move = () =>
        runEmulatorProcess({
          args: ["move", "--from", "data", "--to", store, "--objects", addressOn(s3, "moved")],
          cwd: root,
        });
      expect((await move()).stderr).toContain("in use by another emulator");
      await before.stop();
      const files = () => fs.readFileSync(`${root}/data/store.db`).toString("base64");
      const whole = files();
      const moved = await move();
      expect(moved.stderr).toBe("");
      expect(moved.stdout).toMatch(
        /^moved: 1 jobs, 0 webhook deliveries, 0 reports, \d+ records$/m,
      );
      expect(files()).toBe(whole);
      expect((await s3.names("moved/")).length).toBeGreaterThan(0);
      const again = await move();
      expect(again.code).toBe(4);
      expect(again.stderr).toContain("can only be moved into an empty one");
      await using after = await startEmulatorProcess({
        args: [...args, "--store", store, "--objects", addressOn(s3, "moved")],
        cwd: root,
        env: { SV_API_KEY: "" },
      });
      expect(await ask(after.url, `/v2/echo/status/${id}`)).toEqual(shown);
      await after.stderrMatch(/the data directory has a store of its own/);
      expect(after.stderrLines.join("\n")).not.toContain("cannot be decrypted");
    },
  );

  testInFull(
    "keeps the features of the machine: reload, the bucket, a volume, the clock",
    async () => {
      await using service = await OnDatabase.set();
      const { root } = service.tree;
      const handler = `${root}/handlers/echo/handler.js`;
      await service.start("data");
      const { id: volumeId } = await service
        .ask("/v1/networkvolumes", { name: "files", size: 1, dataCenterId: "EU-RO-1" })
        .then(({ body }) => body as { id: string });
      expect(fs.existsSync(`${root}/data/volumes/${volumeId}`)).toBe(true);
      const output = async () =>
        (await service.call<ShownJob>("/v2/echo/runsync", { input: { n: 1 } })).output;
      expect(await output()).toEqual({ n: 1 });
      fs.writeFileSync(handler, "export default () => 'saved';");
      await expect.poll(output).toBe("saved");
      const at = async () => (await service.call<{ offsetMs: number }>("/emulator/clock")).offsetMs;
      await service.call("/emulator/clock", { advance: "1h" });
      await service.stop();
      await service.start("data");
      expect(await at()).toBe(3_600_000);
      const [, address = ""] = await service.emulator.stderrMatch(
        /object store .* at (http:[^,\s]+)/,
      );
      expect((await fetch(`${address}/${volumeId}`)).status).toBe(403);
      expect(fs.existsSync(`${root}/data/objects/index.db`)).toBe(true);
      expect(fs.existsSync(`${root}/data/store.db`)).toBe(false);
    },
  );
});
