/**
 * Every starter of the packed program: created, installed, tested, served and called as its README says, built and
 * run.
 */
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { STARTER_NAMES, type StarterName } from "../../../emulator/starter/starters.ts";
import { curlIsMissing } from "../../setup/curl.ts";
import { dockerIsMissing } from "../../setup/docker.ts";
import { whatIsMissingOfNpm } from "../../setup/npm-registry.ts";
import type { ContainerStage } from "../docker/container-stage.ts";
import { root } from "../docker/image-scene.ts";
import { type EmulatorProcess, startEmulatorProcess } from "../emulator-process.ts";
import { eventually } from "../jobs/observe.ts";
import { commandsBelow, pasteAll } from "../readme/pasted.ts";
import { openShell } from "../readme/shell.ts";
import { runNpm, StarterProjects } from "./projects.ts";
import { StarterImages } from "./starter-images.ts";

const npmIsMissing = await whatIsMissingOfNpm("tests of the starters");
const SET_UP_MS = 400_000;

describe.skipIf(npmIsMissing !== undefined)("the starters", () => {
  let projects: StarterProjects;
  let images: StarterImages | undefined;

  beforeAll(async () => {
    projects = await StarterProjects.make();
    // The slowest steps run at the same time.
    const prepared = dockerIsMissing === undefined ? StarterImages.prepare(projects) : undefined;
    const startedAt = performance.now();
    await Promise.all([projects.install(), prepared]);
    images = await prepared;
    console.log(`figure: packages of all starters installed in ${secondsSince(startedAt)} s`);
  }, SET_UP_MS);
  afterAll(async () => {
    await images?.[Symbol.asyncDispose]();
    await projects[Symbol.asyncDispose]();
  });

  test.each(STARTER_NAMES)("%s has all its files, with the project's name in them", (starter) => {
    const directory = projects.directory(starter);
    const names = fs.readdirSync(directory);
    const main = starter === "load-balanced" ? "server" : "handler";
    expect(names).toEqual(
      expect.arrayContaining([
        ...[".dockerignore", ".gitignore", "Dockerfile", "README.md", "package.json"],
        ...[`${main}.test.ts`, `${main}.ts`, "schema.ts", "sv.config.json", "tsconfig.json"],
      ]),
    );
    for (const name of names) {
      expect(fs.readFileSync(path.join(directory, name), "utf8"), name).not.toMatch(/my-endpoint/u);
    }
  });

  test.each(STARTER_NAMES)("%s passes its own tests and the compiler", async (starter) => {
    const directory = projects.directory(starter);
    const runs = await Promise.all([
      runNpm(directory, ["test"], { NO_COLOR: "1" }),
      runNpm(directory, ["run", "types"]),
    ]);
    for (const { code, stdout, stderr } of runs) expect(code, stdout + stderr).toBe(0);
    expect(runs[0].stdout).toMatch(/Tests +\d+ passed/u);
  });

  describe.skipIf(curlIsMissing !== undefined)(
    "a starter that is served and called as its README says",
    () => {
      let emulator: EmulatorProcess;
      beforeAll(async () => {
        const program = path.join(
          projects.root,
          "node_modules/sv-runtime/dist/emulator/cli/sv-emulate.js",
        );
        const env = { SV_API_KEY: "local-key" };
        emulator = await startEmulatorProcess({ program, cwd: projects.root, env });
      });
      afterAll(async () => assert.deepEqual(await emulator.stop(), { code: 0, signal: null }));

      async function paste(starter: StarterName): Promise<string> {
        const directory = projects.directory(starter);
        await using shell = openShell({ cwd: directory });
        const readme = path.relative(root, path.join(directory, "README.md"));
        const commands = commandsBelow(readme, "## Call");
        const results = await pasteAll(shell, commands, { url: emulator.url, directory });
        for (const { exitCode } of results) expect(exitCode).toBe(0);
        return results.at(-1)?.output ?? "";
      }

      test("hello greets", async () => {
        expect(JSON.parse(await paste("hello"))).toMatchObject({
          status: "COMPLETED",
          output: { greeting: "Bonjour, Ada!" },
        });
      });

      test("stream-tokens streams an event for each token", async () => {
        const events = await paste("stream-tokens");
        expect(events.match(/^event: chunk$/gmu)).toHaveLength(30);
        expect(events).toMatch(/^event: end\ndata: .*"status":"COMPLETED"/mu);
      });

      test("image-to-s3 returns the address of an image", async () => {
        const { output } = JSON.parse(await paste("image-to-s3")) as { output: { url: string } };
        expect((await fetch(output.url)).headers.get("content-type")).toBe("image/png");
      });

      test("openai-chat completes a chat", async () => {
        expect(JSON.parse(await paste("openai-chat"))).toMatchObject({
          object: "chat.completion",
          choices: [{ message: { content: "You said: Hello there" } }],
        });
      });

      test("load-balanced streams from its server", async () => {
        expect(await paste("load-balanced")).toMatch(
          /^data: \{"token":"to"\}\n[^]*data: \[DONE\]\n/u,
        );
      });
    },
  );

  describe.skipIf(dockerIsMissing !== undefined)("a starter that is built as an image", () => {
    let stage: ContainerStage;
    beforeAll(async () => {
      if (images === undefined) throw new Error("no engine was prepared");
      const startedAt = performance.now();
      await images.build();
      console.log(`figure: images of all starters built in ${secondsSince(startedAt)} s`);
      stage = await images.stage();
    }, SET_UP_MS);
    afterAll(async () => stage[Symbol.asyncDispose]());

    /** Creates an endpoint of a starter's image; returns its id. */
    async function serve(starter: StarterName, endpoint: object = {}): Promise<string> {
      return stage.serve({ imageName: images?.imageName(starter) }, { ...endpoint });
    }

    test.each([
      ["hello", { name: "Ada" }, { greeting: "Hello, Ada!" }],
      ["image-to-s3", { prompt: "the sea", width: 16 }, { url: /^http/u, width: 16, height: 512 }],
      ["openai-chat", { openai_route: "/v1/models" }, [{ object: "list" }]],
    ] as const)("%s runs a job in a container", async (starter, input, output) => {
      const id = await serve(starter);
      expect((await stage.endpoint(id).runSync(input)).output).toMatchObject(
        "url" in output ? { ...output, url: expect.stringMatching(output.url) } : output,
      );
    });

    test("stream-tokens streams from a container", async () => {
      const endpoint = stage.endpoint(await serve("stream-tokens"));
      const { id } = await endpoint.run({ prompt: "The", maxTokens: 5 });
      const chunks = await Array.fromAsync(endpoint.stream(id));
      expect(chunks).toHaveLength(5);
    });

    test("load-balanced serves requests from a container", async () => {
      const id = await serve("load-balanced", { type: "LOAD_BALANCING", workersMin: 1 });
      const { url, apiKey } = stage.emulator;
      const body = JSON.stringify({ prompt: "to be", maxTokens: 2 });
      const headers = { authorization: `Bearer ${apiKey}` };
      const text = await eventually("the server answers", async () => {
        const answer = await fetch(`${url}/lb/${id}/generate`, { method: "POST", headers, body });
        return answer.ok ? answer.text() : undefined;
      });
      expect(text).toBe('data: {"token":"to"}\n\ndata: {"token":"be"}\n\ndata: [DONE]\n\n');
    });
  });
});

function secondsSince(startedAt: number): string {
  return ((performance.now() - startedAt) / 1_000).toFixed(1);
}
