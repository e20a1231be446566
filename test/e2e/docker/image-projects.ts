/** Projects as people have them, for images: their files, how they are installed at home, and what an image says that cannot be. */

export interface ImageProject {
  readonly files: Readonly<Record<string, string>>;
  /** Commands that install the packages; the last one writes the lock file that the image uses. */
  readonly install: readonly (readonly string[])[];
  /** Directory of the worker. */
  readonly worker?: string;
  /** Changes the files once they are installed. */
  readonly afterwards?: (
    text: Readonly<Record<string, string>>,
  ) => Readonly<Record<string, string>>;
  /** The build fails with this sentence. Default: the job answers what it answers at home. */
  readonly fails?: RegExp;
}

const json = (value: object): string => JSON.stringify(value);

const NPM = ["npm", "install", "--no-audit", "--no-fund"];
const PNPM = ["npm", "exec", "--yes", "--", "pnpm@10.34.8", "install", "--no-frozen-lockfile"];
const YARN_1 = ["npm", "exec", "--yes", "--", "yarn@1.22.22", "install"];
const YARN = ["npm", "exec", "--yes", "--package=@yarnpkg/cli-dist@4.9.2", "--", "yarn", "install"];
const YARN_FILES = {
  "yarn.lock": "",
  ".yarnrc.yml": "nodeLinker: node-modules\nenableImmutableInstalls: false\n",
};

/** Runs a script of Node, for a package that has to be packed first. */
const pack = (folder: string) => ["npm", "pack", "--silent", `./${folder}`];

const IS_NUMBER = "import n from 'is-number';\nexport default () => ({ n: String(n(3)) });\n";

/** A change of the package by which its answer is another one. */
const patch = (prefix: string): string => `diff --git a/${prefix}index.js b/${prefix}index.js
--- a/${prefix}index.js
+++ b/${prefix}index.js
@@ -9,3 +9,4 @@
 
 module.exports = function(num) {
+  return "patched";
   if (typeof num === 'number') {
`;
const PATCH = { "patches/is-number+7.0.0.patch": patch("node_modules/is-number/") };
const PATCHING = { scripts: { postinstall: "patch-package" } };
const DEPENDENCIES = { "is-number": "7.0.0" };
const WITH_PATCHER = { ...PATCHING, devDependencies: { "patch-package": "8.0.0" } };

const own = (more: object = {}): string =>
  json({ name: "own", version: "1.0.0", private: true, dependencies: DEPENDENCIES, ...more });

/** A package that writes its module at its installation, from a file of the project. */
const GENERATOR = {
  "gen/package.json": json({
    ...{ name: "gen-client", version: "1.0.0", main: "index.js" },
    scripts: { postinstall: "node gen.js" },
  }),
  "gen/index.js": 'module.exports = require("./generated.js");\n',
  "gen/gen.js": `const fs = require("fs"), path = require("path");
const schema = path.join(process.env.INIT_CWD, "schema.txt");
const made = fs.existsSync(schema)
  ? "module.exports = " + JSON.stringify({ model: fs.readFileSync(schema, "utf8") })
  : 'module.exports = { get model() { throw Error("not generated yet"); } }';
fs.writeFileSync(path.join(__dirname, "generated.js"), made);
`,
  "schema.txt": "User",
  "handler.mjs":
    "import client from 'gen-client';\nexport default () => ({ model: client.model });\n",
};
const GENERATED = own({ dependencies: { "gen-client": "file:gen-client-1.0.0.tgz" } });

function workspace(linked: string): Readonly<Record<string, string>> {
  return {
    "package.json": json({ name: "root", private: true, workspaces: ["packages/*"] }),
    "packages/lib/package.json": json({
      ...{ name: "@x/lib", version: "1.0.0", type: "module", exports: "./index.ts" },
      dependencies: DEPENDENCIES,
    }),
    "packages/lib/index.ts": "export const shared = (s: string): string => `shared ${s}`;\n",
    "packages/worker/package.json": json({
      ...{ name: "@x/worker", version: "1.0.0", type: "module" },
      dependencies: { "@x/lib": linked, "is-odd": "3.0.1" },
      devDependencies: { "left-pad": "1.3.0" },
    }),
    "packages/worker/handler.ts":
      "import { shared } from '@x/lib';\nimport n from 'is-odd';\nexport default () => ({ s: shared('ok'), n: n(3) });\n",
  };
}
const IN_WORKSPACE = { worker: "packages/worker" };
const PNPM_WORKSPACE = { "pnpm-workspace.yaml": 'packages:\n  - "packages/*"\n' };

const SHARP = `import sharp from 'sharp';
const create = { width: 8, height: 8, channels: 3, background: 'red' };
export default async () => ({ png: (await sharp({ create }).png().toBuffer()).length });
`;

/** The lock file as npm writes it on a Mac. */
function ofMac({ "package-lock.json": text = "" }: Readonly<Record<string, string>>) {
  const lock = JSON.parse(text) as { packages: Record<string, object> };
  const isLinux = /@img\/sharp-(?:libvips-)?(?:linux|win|wasm)/u;
  const packages = Object.entries(lock.packages).filter(([name]) => !isLinux.test(name));
  return { "package-lock.json": json({ ...lock, packages: Object.fromEntries(packages) }) };
}

export const PROJECTS: Readonly<Record<string, ImageProject>> = {
  "without packages": {
    files: {
      "package.json": json({ name: "hello", type: "module", private: true }),
      "handler.ts":
        'import type {} from "node:fs";\nexport default async (job: { input: { name?: string } }) => ({ hello: job.input.name ?? "x" });\n',
    },
    install: [],
  },
  "with settings of npm": {
    files: { "package.json": own(), "handler.mjs": IS_NUMBER, ".npmrc": "cafile=/no/such.crt\n" },
    install: [NPM],
  },
  "with a variable in the settings of npm": {
    files: {
      ...{ "package.json": own(), "handler.mjs": IS_NUMBER },
      ".npmrc": "//127.0.0.1:9/:_authToken=${NPM_TOKEN}\n",
    },
    install: [NPM],
  },
  "patched by patch-package": {
    files: {
      "package.json": own({
        ...PATCHING,
        dependencies: { ...DEPENDENCIES, "patch-package": "8.0.0" },
      }),
      ...{ "handler.mjs": IS_NUMBER, ...PATCH },
    },
    install: [NPM],
  },
  "patched by a development package at the root of a workspace": {
    files: {
      "package.json": json({ private: true, workspaces: ["packages/*"], ...WITH_PATCHER }),
      ...{ "packages/worker/package.json": own(), "packages/worker/handler.mjs": IS_NUMBER },
      ...PATCH,
    },
    install: [NPM],
    ...IN_WORKSPACE,
  },
  "patched with yarn 1": {
    files: { "package.json": own(WITH_PATCHER), "handler.mjs": IS_NUMBER, ...PATCH },
    install: [YARN_1],
  },
  "patched with yarn 4": {
    files: {
      ...{ "package.json": own(WITH_PATCHER), "handler.mjs": IS_NUMBER, ...PATCH },
      ...YARN_FILES,
    },
    install: [YARN],
  },
  "patched by a script of pnpm's project": {
    files: {
      "package.json": own({ scripts: { prepare: "node scripts/fix.cjs" } }),
      "scripts/fix.cjs": 'require("./write.cjs")(require.resolve("is-number"));\n',
      "scripts/write.cjs":
        'module.exports = (file) => require("fs").writeFileSync(file, \'module.exports = () => "patched";\');\n',
      "handler.mjs": IS_NUMBER,
    },
    install: [PNPM],
  },
  "with a package that its script makes": {
    files: {
      "package.json": own({ scripts: { postinstall: "node make.cjs" } }),
      "make.cjs":
        'const fs = require("fs");\nfs.mkdirSync("node_modules/made", { recursive: true });\nfs.writeFileSync("node_modules/made/index.js", "module.exports = " + require("./data.json").x);\n',
      ...{
        "data.json": '{"x": 7}',
        "handler.cjs": 'module.exports.default = () => require("made");\n',
      },
    },
    install: [NPM],
  },
  "with a generator that reads its schema": {
    files: { ...GENERATOR, "package.json": GENERATED },
    install: [pack("gen"), NPM],
  },
  "with such a generator and yarn": {
    files: { ...GENERATOR, "package.json": GENERATED },
    install: [pack("gen"), YARN_1],
  },
  "with sharp": {
    files: {
      "package.json": own({ dependencies: { sharp: "0.34.3" } }),
      "handler.mjs": SHARP,
    },
    install: [NPM],
  },
  "with the lock file of a Mac": {
    files: { "package.json": own({ dependencies: { sharp: "0.34.3" } }), "handler.mjs": SHARP },
    install: [NPM],
    afterwards: ofMac,
    fails:
      /lacks packages for linux-\w+, .*@img\/sharp-linux-\w+ of sharp\. Write it anew: rm -rf/u,
  },
  "with a package that must be compiled": {
    files: {
      "package.json": own({ dependencies: { "better-sqlite3": "12.2.0" } }),
      "handler.mjs":
        "import D from 'better-sqlite3';\nexport default () => new D(':memory:').prepare('select 1 x').get();\n",
    },
    install: [[...NPM, "--ignore-scripts"]],
    fails: /the install script of better-sqlite3 failed: prebuild-install .* has no compiler: /u,
  },
  "with a package whose library is missing": {
    files: {
      "lib/package.json": json({ name: "broken", version: "1.0.0" }),
      "lib/index.js": 'process.dlopen({ exports: {} }, __dirname + "/broken.node");\n',
      "lib/broken.node": "no library",
      "package.json": own({ dependencies: { broken: "file:broken-1.0.0.tgz" } }),
      "handler.mjs": "import 'broken';\nexport default () => 1;\n",
    },
    install: [pack("lib"), NPM],
    fails: /the image cannot import broken, which handler\.mjs imports: .*broken\.node/u,
  },
  "with a script that fails in the image": {
    files: {
      "package.json": own({ scripts: { prepare: "node -e 'fs.readFileSync(`at-home`)'" } }),
      ...{ "at-home": "", ".dockerignore": "at-home\n", "handler.mjs": IS_NUMBER },
    },
    install: [NPM],
    fails: /the script "prepare" of package\.json fails in the image, .*at-home(?:.|\n)*ENOENT/u,
  },
  "in a workspace of npm": { files: workspace("*"), install: [NPM], ...IN_WORKSPACE },
  "in a workspace of pnpm": {
    files: { ...workspace("workspace:*"), ...PNPM_WORKSPACE },
    install: [PNPM],
    ...IN_WORKSPACE,
  },
  "in a workspace of yarn 1": { files: workspace("1.0.0"), install: [YARN_1], ...IN_WORKSPACE },
  "in a workspace of yarn 4": {
    files: { ...workspace("workspace:*"), ...YARN_FILES },
    install: [YARN],
    ...IN_WORKSPACE,
  },
  "with pnpm's catalog and patches": {
    files: {
      "package.json": json({ name: "root", private: true }),
      "pnpm-workspace.yaml": `${PNPM_WORKSPACE["pnpm-workspace.yaml"]}catalog:\n  is-number: 7.0.0\npatchedDependencies:\n  is-number@7.0.0: mine/is-number.patch\n`,
      "mine/is-number.patch": patch(""),
      "packages/worker/package.json": own({ dependencies: { "is-number": "catalog:" } }),
      "packages/worker/handler.mjs": IS_NUMBER,
    },
    install: [PNPM],
    ...IN_WORKSPACE,
  },
  "with overrides": {
    files: {
      "package.json": own({
        dependencies: { "is-odd": "3.0.1" },
        overrides: { "is-number": "7.0.0" },
      }),
      "handler.mjs":
        'import fs from "node:fs";\nimport odd from "is-odd";\nconst { version } = JSON.parse(fs.readFileSync(new URL("node_modules/is-number/package.json", import.meta.url)));\nexport default () => ({ odd: odd(3), version });\n',
    },
    install: [NPM],
  },
};
