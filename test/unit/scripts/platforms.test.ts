/** The workflow of public CI and the dev container name only commands and ports that exist. */
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { partsAreRequired } from "../../setup/required-parts.ts";

const root = path.resolve(import.meta.dirname, "../../..");
const read = (file: string) => fs.readFileSync(path.join(root, file), "utf8");
const { scripts, engines } = z
  .object({ scripts: z.record(z.string(), z.string()), engines: z.object({ node: z.string() }) })
  .parse(JSON.parse(read("package.json")));

const step = z.strictObject({
  if: z.string().optional(),
  uses: z.string().optional(),
  with: z.record(z.string(), z.string()).optional(),
  run: z.string().optional(),
});
const workflow = z.object({
  on: z.object({ push: z.unknown(), pull_request: z.unknown() }),
  permissions: z.strictObject({ contents: z.literal("read") }),
  jobs: z.record(
    z.string(),
    z.object({
      "runs-on": z.string(),
      container: z.object({ image: z.string(), options: z.string() }).optional(),
      strategy: z.object({ matrix: z.object({ node: z.array(z.number()) }) }),
      steps: z.array(step),
    }),
  ),
});

const devContainer = z.strictObject({
  name: z.string(),
  image: z.string(),
  features: z.record(z.string(), z.object({})),
  forwardPorts: z.array(z.number()),
  portsAttributes: z.record(z.string(), z.strictObject({ label: z.string() })),
  postCreateCommand: z.string(),
});

/** Whether a command is npm's own, a script of package.json, or an existing file. */
function isKnown(command: string): boolean {
  if (command === "npm ci") return fs.existsSync(path.join(root, "package-lock.json"));
  const [, script, file] = /^npm (?:run )?(\w+)$|^node ([\w./]+) /u.exec(command) ?? [];
  if (script !== undefined) return script in scripts;
  return file !== undefined && fs.existsSync(path.join(root, file));
}

describe("the workflow", () => {
  const { jobs } = workflow.parse(parse(read(".github/workflows/ci.yml")));

  test("runs on Linux and macOS with Node 24 and 26, which the package allows", () => {
    const systems = Object.values(jobs).map((job) => [job["runs-on"], job.strategy.matrix.node]);
    expect(systems).toEqual([
      ["ubuntu-latest", [24, 26]],
      ["macos-latest", [24, 26]],
    ]);
    expect(engines.node).toBe(">=24.15");
  });

  test("calls existing commands, the same on all systems", () => {
    const runs = Object.values(jobs).map(({ steps }) => steps.flatMap(({ run = [] }) => run));
    expect(runs[0]).toContain("npm test");
    expect(runs[1]).toEqual(runs[0]);
    expect(runs.flat().filter((run) => !isKnown(run))).toEqual([]);
    expect(["npm nothing", "npm run nothing", "node none.mjs run"].filter(isKnown)).toEqual([]);
  });

  test("uses only GitHub's own actions, in pinned major versions", () => {
    const used = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ uses = [] }) => uses));
    expect(used).not.toEqual([]);
    for (const each of used) expect(each).toMatch(/^actions\/[a-z-]+@v\d+$/u);
  });
});

test("the dev container has valid fields, Node 24, Docker, the ports of the service and an existing set-up", () => {
  const { image, features, forwardPorts, portsAttributes, postCreateCommand } = devContainer.parse(
    JSON.parse(read(".devcontainer/devcontainer.json")),
  );
  expect(image).toMatch(/:24-/u);
  expect(Object.keys(features)).toEqual([expect.stringContaining("docker-in-docker")]);
  expect(forwardPorts).toEqual([7080, 7081]);
  expect(Object.keys(portsAttributes)).toEqual(forwardPorts.map(String));
  expect(isKnown(postCreateCommand)).toBe(true);
});

test("a missing part fails a run under CI on Linux, and is left out elsewhere", () => {
  const ci = { CI: "true" };
  expect(partsAreRequired(ci, "linux")).toBe(true);
  expect(partsAreRequired(ci, "darwin")).toBe(false);
  expect(partsAreRequired({}, "linux")).toBe(false);
});
