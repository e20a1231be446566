/** The files of a directory that go into an image. */
import { expect, test } from "vitest";
import { imageFiles, keptFiles } from "../../../../emulator/image/context/kept-files.ts";
import { temporaryTree } from "../../../temporary-tree.ts";

test("without a .dockerignore all files are kept, hidden ones and empty directories too", async () => {
  await using files = await temporaryTree({ "a.txt": "12345", ".b": "1", "c/d": "1", "e/": "" });
  const { paths, sizeBytes } = await keptFiles(files.root);
  expect([...paths].toSorted()).toEqual([".b", "a.txt", "c", "c/d", "e"]);
  expect(sizeBytes).toBe(7);
});

test("files that .dockerignore excludes are left out; its comments and blank lines are ignored", async () => {
  await using files = await temporaryTree({
    ".dockerignore": "# weights\n\n*.bin\ncache\n**/*.log\n",
    "m.bin": "",
    "cache/a": "",
    "x/y.log": "",
    "x/z.bin": "",
  });
  const { paths } = await keptFiles(files.root);
  expect([...paths].toSorted()).toEqual([".dockerignore", "x", "x/z.bin"]);
});

test("a pattern with ! takes back a file, with the directories above it", async () => {
  await using files = await temporaryTree({
    ".dockerignore": "*\n!a/keep.txt\n",
    "a/keep.txt": "",
    "a/other.txt": "",
    "b.txt": "",
  });
  const { paths } = await keptFiles(files.root);
  expect([...paths].toSorted()).toEqual(["a", "a/keep.txt"]);
});

/** Files that hold secrets, each with an ordinary name beside it. */
const SECRETS = {
  ".env": "A=1",
  "sub/.env.local": "A=1",
  "production.env": "A=1",
  ".npmrc": "//registry.example/:_authToken=a",
  ".yarnrc.yml": "npmAuthToken: a",
  ".netrc": "machine x password a",
  ".git-credentials": "https://a:b@example.com",
  id_ed25519: "a",
  "certificates/tls.pem": "a",
  "store.p12": "a",
};

test("an image has no secrets, and they are listed", async () => {
  await using files = await temporaryTree({
    ...SECRETS,
    ".aws/credentials": "a",
    "environment.ts": "a",
    "key.ts": "a",
  });
  const { paths, secrets } = await imageFiles(files.root);
  const ordinary = ["certificates", "environment.ts", "key.ts", "sub"];
  expect([...paths].toSorted()).toEqual(ordinary);
  expect(secrets.toSorted()).toEqual([...Object.keys(SECRETS), ".aws"].toSorted());
});

test("a private key of any name is a secret, a certificate and a program that mentions one are not", async () => {
  const key = "-----BEGIN OPENSSH PRIVATE KEY-----\na\n";
  await using files = await temporaryTree({
    deploy: key,
    "encrypted.txt": key.replace("OPENSSH", "ENCRYPTED"),
    "ca.crt": "-----BEGIN CERTIFICATE-----\na\n",
    "check.js": `const begin = ${JSON.stringify(key)};\n`,
  });
  const { paths, secrets } = await imageFiles(files.root);
  expect([...paths].toSorted()).toEqual(["ca.crt", "check.js"]);
  expect(secrets.toSorted()).toEqual(["deploy", "encrypted.txt"]);
});

test("tests, caches and settings of editors are no part of an image, and no secrets", async () => {
  await using files = await temporaryTree({
    ".vscode/settings.json": "",
    "test/a.ts": "",
    "src/a.test.ts": "",
    "src/__pycache__/a.pyc": "",
    "src/latest.ts": "",
    "node_modules/.cache/x": "",
  });
  const { paths, secrets } = await imageFiles(files.root);
  expect([...paths].toSorted()).toEqual(["node_modules", "src", "src/latest.ts"]);
  expect(secrets).toEqual([]);
});

test("nothing else is left out of installed packages", async () => {
  const packaged = { "node_modules/a/test/x.js": "", "node_modules/a/ca.pem": "" };
  await using files = await temporaryTree({ ...packaged, "node_modules/a/.env.js": "" });
  const { paths } = await imageFiles(files.root);
  expect([...paths]).toEqual(expect.arrayContaining(Object.keys(packaged)));
});

test("a .dockerignore may include files that are left out by default, and mentions secrets", async () => {
  await using files = await temporaryTree({
    ".dockerignore": "!.env\n!key\n*.pem\n",
    ".env": "",
    ".env.b": "",
    key: "-----BEGIN PRIVATE KEY-----\n",
    "tls.pem": "",
  });
  const { paths, secrets } = await imageFiles(files.root);
  expect([...paths].toSorted()).toEqual([".env", "key"]);
  expect(secrets).toEqual([".env.b"]);
});
