/** `sv-emulate build` of an HTTP server: the image is a worker of a load balancing endpoint, with a health check. */
import fs from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { dockerIsMissing } from "../../setup/docker.ts";
import { temporaryTree } from "../../temporary-tree.ts";
import { eventually } from "../jobs/observe.ts";
import type { CliRun } from "../run-to-end.ts";
import { ContainerStage } from "./container-stage.ts";
import { HARDENED, ImageScene } from "./image-scene.ts";
import { packedCli } from "./packed-cli.ts";

/** TypeScript that Node alone would not run. A header sets the answer of `/ping`. */
const SERVER = `import { createServer } from "node:http";
import { readFileSync } from "node:fs";
import { greeting } from "./words";
enum Health { Good = 200 }
let health: number = Health.Good;
createServer((request, response) => {
  if (request.url === "/ping") response.statusCode = health;
  if (request.headers["x-health"] !== undefined) health = Number(request.headers["x-health"]);
  if (request.url === "/argv") response.end(process.argv[1]);
  else response.end(greeting + readFileSync(new URL("./end.txt", import.meta.url), "utf8") + request.url);
}).listen(Number(process.env["PORT"]), () => console.log("listens at " + process.env["PORT"]));
`;

const CHAT = {
  "chat/server.ts": SERVER,
  "chat/words.ts": 'export const greeting: string = "hello";\n',
  "chat/end.txt": "! ",
};

describe.skipIf(dockerIsMissing !== undefined)("the image of a server", () => {
  let scene: ImageScene;
  let built: CliRun;
  let written: unknown;
  const image = `sv-test/chat:${process.pid}`;

  beforeAll(async () => {
    scene = await ImageScene.start();
    using cli = packedCli();
    await using files = await temporaryTree(CHAT);
    const images = ["--base-image", scene.node, "--node-image", scene.node];
    const args = ["build", "chat", "--tag", image, ...images];
    built = await cli.run(args, scene.docker.host, files.root);
    if (built.code !== 0) throw new Error(`the image cannot be built:\n${built.stderr}`);
    written = JSON.parse(fs.readFileSync(files.path("chat/template.json"), "utf8"));
  });
  afterAll(async () => {
    await scene.docker.cli(["rmi", "-f", image]);
    await scene[Symbol.asyncDispose]();
  });

  /** Calls the server from inside its container with Node: the image has no other client. */
  async function ask(container: string, place: string, headers = {}): Promise<string> {
    const program = `fetch("http://localhost${place}", { headers: ${JSON.stringify(headers)} })
      .then((answer) => answer.text()).then(console.log)`;
    return scene.docker.ask("exec", container, "node", "-e", program);
  }

  async function healthIs(container: string, status: string): Promise<void> {
    const args = ["inspect", "-f", "{{.State.Health.Status}}", container];
    while ((await scene.docker.ask(...args)) !== status) await delay(100);
  }

  test("is built from a file named server, and names the kind of its endpoints", () => {
    expect(built.stdout).toBe(`${image}\n`);
    expect(built.stderr).toMatch(/^template chat\/template.json, .* type LOAD_BALANCING$/mu);
    expect(written).toMatchObject({ ports: ["80/http"] });
  });

  test("runs the server on a read-only root without any rights, on port 80 unless a variable sets another", async () => {
    const container = await scene.start(image, [...HARDENED, "--health-interval", "1s"]);
    await healthIs(container, "healthy");
    expect(await ask(container, "/there")).toBe("hello! /there");
    expect(await ask(container, "/argv")).toBe("/app/server.ts");
    await scene.docker.ask("stop", container);
    const state = ["inspect", "-f", "{{.State.ExitCode}}", container];
    expect(await scene.docker.ask(...state)).toBe("143");
  });

  test("has a health check that accepts 200 and 204 from the server, and nothing else", async () => {
    const env = ["-e", "PORT=8000", "-e", "HEALTH_CHECK_PATH=ping"];
    const container = await scene.start(image, [...env, "--health-interval", "1h"]);
    const check = () => scene.docker.cli(["exec", container, "sv-worker-health"]);
    while ((await check()).code !== 0) await delay(100);
    const at = "at http://localhost:8000/ping\n";
    await ask(container, ":8000/", { "x-health": "204" });
    expect(await check()).toMatchObject({ code: 0, stdout: `the server answers 204 ${at}` });
    await ask(container, ":8000/", { "x-health": "503" });
    expect(await check()).toMatchObject({ code: 1, stdout: `the server answers 503 ${at}` });
  });

  test("is also built by a directory's own Dockerfile of one line", async () => {
    await using files = await temporaryTree({
      "server.ts": SERVER,
      "words.ts": CHAT["chat/words.ts"],
    });
    const dockerfile = `FROM ${scene.base}\nCOPY . .\nCMD ["server"]\n`;
    const own = await scene.buildWorker("own-server", dockerfile, files.root);
    const container = await scene.start(own, HARDENED);
    await eventually("it listens", async () =>
      (await scene.docker.ask("logs", container)).includes("listens at 80") ? true : undefined,
    );
    await using broken = await temporaryTree({ "server.ts": "listen(\n" });
    const bad = await scene.buildWorker("bad-server", dockerfile, broken.root);
    const { code, stderr } = await scene.run(bad, []);
    expect({ code, stderr }).toEqual({
      code: 3,
      stderr: expect.stringContaining("/app/server.ts:2:1: "),
    });
  });

  test("answers requests of a load balancing endpoint, and ends with a killed service", async () => {
    await using stage = await ContainerStage.set(scene.docker);
    const template = { imageName: image, env: { PORT: "8000" } };
    const id = await stage.serve(template, { type: "LOAD_BALANCING", workersMin: 1 });
    const { url, apiKey } = stage.emulator;
    const text = await eventually("the server answers", async () => {
      const headers = { authorization: `Bearer ${apiKey}` };
      const answer = await fetch(`${url}/lb/${id}/from/outside`, { headers });
      return answer.ok ? answer.text() : undefined;
    });
    expect(text).toBe("hello! /from/outside");
    await stage.emulator.stderrMatch(/listens at 8000/u);
    await stage.kill();
    await eventually("the container has ended", async () => {
      const running = ["ps", "-q", "--filter", `label=sv.endpoint=${id}`];
      return (await scene.docker.ask(...running)) === "" ? true : undefined;
    });
    for (const left of await stage.containers(id)) await scene.docker.ask("rm", left);
  });
});
