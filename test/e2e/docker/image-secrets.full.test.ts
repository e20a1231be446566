/** Secrets of a project are in no layer, no stage, no history and no cache of its image, whoever builds it. */
import { execFile } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { dockerIsMissing } from "../../setup/docker.ts";
import { whatIsMissingOfNpm } from "../../setup/npm-registry.ts";
import { temporaryTree } from "../../temporary-tree.ts";
import { NpmScene } from "./npm-scene.ts";

const npmIsMissing = dockerIsMissing ?? (await whatIsMissingOfNpm("tests of secrets in images"));

/** Begins every secret of this test. */
const PLANTED = `planted-${process.pid}-`;
const TOKEN = `${PLANTED}token`;

/** A file for each kind of secret. */
const FILES = {
  ".env": `A=${PLANTED}env`,
  "sub/.env.local": `A=${PLANTED}env-local`,
  "production.env": `A=${PLANTED}production`,
  ".yarnrc.yml": `npmAuthToken: ${PLANTED}yarn\n`,
  ".netrc": `machine x password ${PLANTED}netrc`,
  ".git-credentials": `https://a:${PLANTED}git@example.com`,
  ".git/config": `[remote]\nurl = https://a:${PLANTED}remote@example.com`,
  ".aws/credentials": `${PLANTED}aws`,
  ".docker/config.json": `${PLANTED}docker`,
  ".kube/config": `${PLANTED}kube`,
  ".ssh/id_any": `${PLANTED}ssh`,
  id_rsa: `${PLANTED}rsa`,
  deploy: `-----BEGIN OPENSSH PRIVATE KEY-----\n${PLANTED}key\n`,
  "tls.pem": `${PLANTED}pem`,
  "store.p12": `${PLANTED}store`,
  ".pypirc": `${PLANTED}pypi`,
};

const PROJECT = {
  "package.json": JSON.stringify({ private: true, dependencies: { "is-number": "7.0.0" } }),
  "handler.mjs": "import n from 'is-number';\nexport default () => n(3);\n",
};

const BUILDERS = [
  { builder: "BuildKit", value: "1" },
  { builder: "the classic builder", value: "0" },
];

describe.skipIf(npmIsMissing !== undefined)("a planted secret", () => {
  let scene: NpmScene;

  beforeAll(async () => {
    scene = await NpmScene.start("secrets", TOKEN);
  });
  afterAll(async () => scene[Symbol.asyncDispose]());

  beforeEach(({ skip }) => skip(scene.isElsewhere, "its engine's files are elsewhere"));

  /** Installs with a registry that gives nothing to strangers, and writes the settings for the image. */
  async function installed(folder: string, token: string): Promise<void> {
    const settings = (url: string, value: string): string =>
      `registry=${url}\n${url.replace("http:", "")}/:_authToken=${value}\n`;
    const file = path.join(folder, ".npmrc");
    fs.writeFileSync(file, settings(scene.urls.here, TOKEN));
    await scene.install(folder, "npm", "install", "--no-audit", "--no-fund");
    fs.writeFileSync(file, settings(scene.urls.inContainers, token));
  }

  /** Files of the engine, images and caches included, that have a planted secret. */
  async function found(): Promise<string> {
    const data = await scene.docker.ask("info", "-f", "{{.DockerRootDir}}");
    const search = promisify(execFile)("grep", ["-rlaF", PLANTED, data]);
    return search.then(
      ({ stdout }) => stdout,
      ({ code, stdout }: { readonly code: number; readonly stdout: string }) =>
        code === 1 ? "" : stdout,
    );
  }

  test.each(BUILDERS)("is nowhere after a build by $builder", async ({ value }) => {
    await using files = await temporaryTree({ ...PROJECT, ...FILES });
    await installed(files.root, "${NPM_TOKEN}");
    const tag = `sv-test/secrets-${value}:1`;
    const env = { DOCKER_BUILDKIT: value, NPM_TOKEN: TOKEN };
    const { code, stderr } = await scene.build(files.root, ".", tag, env);
    expect(code, stderr).toBe(0);
    for (const name of [".env", "sub/.env.local", ".aws", "deploy", "tls.pem", ".npmrc"]) {
      expect(stderr).toMatch(new RegExp(`^left out as secrets: .*${name}[, ]`, "mu"));
    }
    expect(await scene.outputOf(tag)).toBe(true);
    expect(await found()).toBe("");
  });

  test.each(BUILDERS)("is nowhere after a failed build by $builder", async ({ value }) => {
    const manifest = { ...(JSON.parse(PROJECT["package.json"]) as object) };
    const scripts = {
      postinstall:
        "node -e 'process.exit(process.getuid() === 0 && fs.existsSync(`/sv-installation`) ? 1 : 0)'",
    };
    await using files = await temporaryTree({
      ...{ ...PROJECT, ...FILES },
      "package.json": JSON.stringify({ ...manifest, scripts }),
    });
    await installed(files.root, TOKEN);
    const tag = `sv-test/secrets-failed-${value}:1`;
    const { code, stderr } = await scene.build(files.root, ".", tag, { DOCKER_BUILDKIT: value });
    expect(code).toBe(5);
    expect(stderr).toContain('the script "postinstall" of package.json fails');
    expect(stderr).not.toContain(PLANTED);
    expect(await found()).toBe("");
  });

  test("of --secret serves the installation alone", async () => {
    await using files = await temporaryTree({ ...PROJECT, ...FILES, "token.txt": TOKEN });
    fs.writeFileSync(files.path(".dockerignore"), "token.txt\nnpmrc\n");
    await installed(files.root, "${OTHER}");
    const other = ["--secret", "id=OTHER,src=token.txt"];
    const first = await scene.build(files.root, ".", "sv-test/secrets-given:1", {}, ...other);
    expect(first.code, first.stderr).toBe(0);
    fs.renameSync(files.path(".npmrc"), files.path("npmrc"));
    const text = fs.readFileSync(files.path("npmrc"), "utf8").replace("${OTHER}", TOKEN);
    fs.writeFileSync(files.path("npmrc"), text);
    const user = ["--secret", "id=npmrc,src=npmrc"];
    const second = await scene.build(files.root, ".", "sv-test/secrets-given:2", {}, ...user);
    expect(second.code, second.stderr).toBe(0);
    expect(await found()).toBe("");
  });
});
