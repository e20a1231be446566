/** The settings of package managers for the installation in an image. */
import { expect, test } from "vitest";
import {
  packageSettings,
  type SettingsTerms,
} from "../../../../emulator/image/context/package-settings.ts";
import { temporaryTree, type TemporaryTree } from "../../../temporary-tree.ts";

const NPMRC = `registry=https://registry.example/
//registry.example/:_authToken=secret-1
legacy-peer-deps=true
`;
const OPEN = "registry=https://registry.example/\nlegacy-peer-deps=true\n";

const settingsIn = (files: TemporaryTree, more: Partial<SettingsTerms> = {}) =>
  packageSettings({
    ...{ root: files.root, place: "/app/it's", given: new Map(), env: {}, canMount: true },
    ...more,
  });

const texts = (secrets: ReadonlyMap<string, Uint8Array>) =>
  Object.fromEntries([...secrets].map(([id, bytes]) => [id, Buffer.from(bytes).toString()]));

test("lines with secrets are mounted only, all others are also in the context", async () => {
  await using files = await temporaryTree({ ".npmrc": NPMRC });
  const { files: context, secrets, mounts, filesHaveSecrets } = settingsIn(files);
  expect(context).toEqual([{ path: "/app/it's/.npmrc", content: OPEN }]);
  expect(texts(secrets)).toEqual({ "sv.npmrc": NPMRC });
  expect(mounts).toEqual([{ id: "sv.npmrc", target: String.raw`'/app/it'\''s/.npmrc'` }]);
  expect(filesHaveSecrets).toBe(false);
});

test("the classic builder gets the whole file, and is told that it has secrets", async () => {
  await using files = await temporaryTree({ ".npmrc": NPMRC });
  const settings = settingsIn(files, { canMount: false });
  expect(settings).toMatchObject({ mounts: [], filesHaveSecrets: true });
  expect(settings.files).toEqual([{ path: "/app/it's/.npmrc", content: NPMRC }]);
});

test("settings without secrets are ordinary files for both builders", async () => {
  await using files = await temporaryTree({ ".npmrc": OPEN, ".yarnrc.yml": "nodeLinker: pnp\n" });
  for (const canMount of [true, false]) {
    const settings = settingsIn(files, { canMount });
    expect(settings).toMatchObject({ mounts: [], filesHaveSecrets: false });
    expect(settings.files.map(({ content }) => content)).toEqual([OPEN, "nodeLinker: pnp\n"]);
  }
});

test.each([
  "_auth=YTpi",
  "//registry.example/:_password=YTpi",
  "//registry.example/:key=-----BEGIN",
  "npmAuthToken: a",
  "    npmAuthIdent: a:b",
  "https-proxy=http://a:b@proxy.example",
  "registry=https://${HOST}/",
])("a line like %s is a secret", async (line) => {
  await using files = await temporaryTree({ ".npmrc": `a=1\n${line}\n` });
  expect(settingsIn(files).files[0]?.content).toBe("a=1\n");
});

test("variables have the values of secrets and of the environment", async () => {
  const yarn = "npmAuthToken: ${ONE:-}\n";
  await using files = await temporaryTree({
    ".npmrc": "//r/:_authToken=${TWO}\n//s/:_authToken=${NONE}\n",
    ".yarnrc.yml": yarn,
  });
  const given = new Map([["TWO", Buffer.from("second\n")]]);
  const { secrets } = settingsIn(files, { given, env: { ONE: "first", TWO: "not this" } });
  expect(texts(secrets)).toEqual({
    "sv.npmrc": "//r/:_authToken=second\n//s/:_authToken=${NONE}\n",
    "sv.yarnrc.yml": "npmAuthToken: first\n",
  });
});

test("the secret npmrc is npm's own file of the user", async () => {
  await using files = await temporaryTree({});
  const { secrets, mounts } = settingsIn(files, { given: new Map([["npmrc", Buffer.from("a")]]) });
  expect(texts(secrets)).toEqual({ npmrc: "a" });
  expect(mounts).toEqual([{ id: "npmrc", target: '"$HOME/.npmrc"' }]);
});
