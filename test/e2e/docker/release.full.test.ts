/** The command that makes a release, as a dry run: its parts have one version, and each can be used. */
import { execFile, execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { dockerIsMissing, startOwnDocker, type TestDocker } from "../../setup/docker.ts";
import { nodeImage } from "../../setup/docker-node-image.ts";
import {
  helmProgram,
  prepareClients,
  whatIsMissingOfClients,
} from "../../setup/kubernetes/client-programs.ts";
import { temporaryDirectory, type TemporaryDirectory } from "../../setup/temporary-directory.ts";

const { version } = JSON.parse(fs.readFileSync("package.json", "utf8")) as {
  readonly version: string;
};

const noHelm = await whatIsMissingOfClients("tests of a release's chart");

describe.skipIf(dockerIsMissing !== undefined)("a release", () => {
  let docker: TestDocker;
  let out: TemporaryDirectory;
  const at = (name: string) => path.join(out.path, name);
  const make = (node: string) => {
    const images = ["--base-image", node, "--node-image", node];
    const args = ["scripts/release/main.ts", "--dry-run", "--out", out.path, ...images];
    const env = { ...process.env, DOCKER_HOST: docker.host, DOCKER_BUILDKIT: "0" };
    return promisify(execFile)(process.execPath, args, { env });
  };

  beforeAll(async () => {
    out = temporaryDirectory();
    // The tags of the base image are those that other tests build on.
    docker = await startOwnDocker();
    await make(await nodeImage(docker));
  });
  afterAll(async () => {
    await docker[Symbol.asyncDispose]();
    out[Symbol.dispose]();
  });

  test("lists the digest of each part", () => {
    const names = fs.readdirSync(out.path).filter((name) => name !== "SHA256SUMS");
    const sums = names.map((name) => {
      const digest = createHash("sha256")
        .update(fs.readFileSync(at(name)))
        .digest("hex");
      return `${digest}  ${name}`;
    });
    const listed = fs.readFileSync(at("SHA256SUMS"), "utf8").trim().split("\n");
    expect(listed.toSorted()).toEqual(sums.toSorted());
    expect(names.toSorted()).toEqual([
      ...["changes.md", "images.txt", "sbom.cdx.json"],
      ...[`sv-runtime-${version}.tgz`, `sv-runtime-chart-${version}.tgz`],
    ]);
  });

  test.skipIf(noHelm !== undefined)("has a chart of that version, which Helm accepts", async () => {
    await prepareClients();
    const shown = execFileSync(helmProgram, [
      "show",
      "chart",
      at(`sv-runtime-chart-${version}.tgz`),
    ]);
    expect(shown.toString()).toContain(`appVersion: ${version}\n`);
  });

  test("has base images by three tags, which are one image", async () => {
    const names = fs.readFileSync(at("images.txt"), "utf8").trim().split("\n");
    expect(names).toHaveLength(3);
    const ids = await Promise.all(
      names.map((name) => docker.ask("image", "inspect", "--format", "{{.Id}}", name)),
    );
    expect(new Set(ids).size).toBe(1);
  });

  test("has a bill of what is bundled, the card's packages among it, without tools of the tests", () => {
    const { components } = JSON.parse(fs.readFileSync(at("sbom.cdx.json"), "utf8")) as {
      readonly components: readonly { readonly name: string; readonly purl: string }[];
    };
    const names = components.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(["undici", "zod", "chokidar", "commander", "esbuild"]),
    );
    expect(names).not.toContain("vitest");
    expect(components.every(({ purl }) => purl.startsWith("pkg:npm/"))).toBe(true);
  });
});
