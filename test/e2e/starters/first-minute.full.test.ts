/** The first minute of a new user with only the packed package: created, served, failing, explained, repaired. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { RUNTIME_VERSION } from "../../../runtime/version.ts";
import { npmRegistry, whatIsMissingOfNpm } from "../../setup/npm-registry.ts";
import { temporaryTree } from "../../temporary-tree.ts";
import { packedCli } from "../docker/packed-cli.ts";
import { startEmulatorProcess } from "../emulator-process.ts";
import { eventually } from "../jobs/observe.ts";
import { runToEnd } from "../run-to-end.ts";
import { runNpm } from "./projects.ts";

const isMissing = await whatIsMissingOfNpm("the test of the first minute");
const KEY = "local-key";

test.skipIf(isMissing !== undefined)(
  "a new user runs npx, init, install and dev, calls a handler that throws, asks why, and mends it with a save",
  async () => {
    using cli = packedCli();
    await using registry = npmRegistry(cli.archive);
    await using tree = await temporaryTree({});
    const env = {
      npm_config_registry: await registry.listen("127.0.0.1"),
      npm_config_cache: tree.path("cache"),
    };
    const type = async (cwd: string, ...args: readonly string[]): Promise<string> => {
      const { code, stdout, stderr } = await runNpm(cwd, args, env);
      expect(code, `npm ${args.join(" ")}\n${stdout}${stderr}`).toBe(0);
      return stdout + stderr;
    };

    fs.copyFileSync(cli.archive, tree.path("sv-runtime.tgz"));
    const npx = ["exec", "--yes", "--package", "./sv-runtime.tgz", "--", "sv-runtime"];
    const help = await type(tree.root, ...npx, "--help");
    expect(help).toContain("Usage: npx sv-runtime [options]");
    expect(help).not.toContain("sv-emulate ");
    expect(await type(tree.root, ...npx, "init", "greeter")).toContain("  npm install\n");

    const cwd = tree.path("greeter");
    const installed = await type(cwd, "install");
    expect(installed).not.toContain("script");
    // No dependency of our package is installed.
    for (const name of ["@aws-sdk", "@grpc", "@opentelemetry", "dockerode", "esbuild", "undici"])
      expect(fs.existsSync(path.join(cwd, "node_modules", name)), name).toBe(false);
    for (const name of ["README.md", "AGENTS.md"]) {
      const text = fs.readFileSync(path.join(cwd, name), "utf8");
      const links = Array.from(text.matchAll(/\]\((node_modules\/[^)#]+)/gu), ([, to = ""]) => to);
      expect(links.length).toBeGreaterThan(0);
      for (const link of links) expect(fs.existsSync(path.join(cwd, link)), link).toBe(true);
    }

    const program = path.join(cwd, "node_modules/.bin/sv-runtime");
    const args = ["dev", "--log", "pretty"];
    await using served = await startEmulatorProcess({
      program,
      args,
      cwd,
      env: { SV_API_KEY: KEY },
    });
    const headers = { authorization: `Bearer ${KEY}` };
    const call = async () => {
      const body = '{"input":{"name":"Ada"}}';
      const url = `${served.url}/v2/greeter/runsync`;
      const answer = await fetch(url, { method: "POST", headers, body });
      return (await answer.json()) as { id: string; status: string; output?: unknown };
    };
    expect(await call()).toMatchObject({ output: { greeting: "Hello, Ada!" } });
    await eventually("the interface shows what it takes", async () => {
      const document = await fetch(`${served.url}/v1/openapi.json`, { headers });
      return (await document.text()).includes("/v2/greeter/runsync") ? true : undefined;
    });

    const handler = path.join(cwd, "handler.ts");
    const good = fs.readFileSync(handler, "utf8");
    const line = 1 + good.split("\n").findIndex((text) => text.includes("return {"));
    fs.writeFileSync(
      handler,
      good.replace("return {", 'if (name) throw new RangeError("too early");\n    return {'),
    );
    const failed = await eventually("the save is served", async () => {
      const job = await call();
      return job.status === "FAILED" ? job : undefined;
    });
    await served.stderrMatch(/✗ greeter \S+ failed after .*: RangeError: too early$/u);
    await served.stderrMatch(new RegExp(`^    at .*handler\\.ts:${line}:\\d+\\)?$`, "u"));

    const why = await runToEnd(process.execPath, [program, "why", failed.id], {
      cwd,
      env: { ...process.env, SV_URL: served.url, SV_API_KEY: KEY },
    });
    expect(why).toMatchObject({ code: 0, stderr: "" });
    expect(why.stdout).toContain("Too early (at ");
    expect(why.stdout).toMatch(new RegExp(`handler\\.ts:${line}`, "u"));

    fs.writeFileSync(handler, good);
    await eventually("the fix is served", async () =>
      (await call()).status === "COMPLETED" ? true : undefined,
    );
  },
);

test.skipIf(isMissing !== undefined).each([
  ["npm", ["install"]],
  ["pnpm", ["exec", "--yes", "--", "pnpm@12.21.0", "add"]],
  ["Bun", ["exec", "--yes", "--", "bun@1.4.5", "add"]],
])("%s installs the package without a question, and its program runs", async (_, install) => {
  using cli = packedCli();
  await using registry = npmRegistry(cli.archive);
  const manifest = { name: "any", private: true, type: "module" };
  await using tree = await temporaryTree({
    "package.json": JSON.stringify(manifest),
    "hi/handler.ts": "export default (job: { input: { n: number } }): number => job.input.n + 1;",
  });
  fs.copyFileSync(cli.archive, tree.path("sv-runtime.tgz"));
  const url = await registry.listen("127.0.0.1");
  const env = { npm_config_registry: url, pnpm_config_registry: url, NO_COLOR: "1" };
  const { code, stdout, stderr } = await runNpm(tree.root, [...install, "./sv-runtime.tgz"], env);
  expect(code, stdout + stderr).toBe(0);
  // The installer makes a link or a script.
  const run = async (name: string, ...args: readonly string[]) =>
    runToEnd(tree.path("node_modules/.bin", name), args, { cwd: tree.root, env: process.env });
  expect(await run("sv-runtime", "--version")).toMatchObject({
    code: 0,
    stdout: `${RUNTIME_VERSION}\n`,
  });
  expect(await run("sv-worker", "run", "hi", "--input", '{"n":1}')).toMatchObject({
    code: 0,
    stdout: "2\n",
  });
});
