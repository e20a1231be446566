/** The built `sv-emulate` under package managers and shells that end before it. */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import fs from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { system } from "../../../runtime/system/system.ts";
import { sized } from "../../setup/size.ts";
import { temporaryTree } from "../../temporary-tree.ts";
import { program } from "../emulator-process.ts";

const MARK = "SV_TEST_MARK";
const SERVE = "sv-emulate --ephemeral --port 0 h";

/** Code that notes that it runs, and does not end. */
const WAITS = `fs.writeFileSync("begun", "!"); setInterval(() => {}, 1e3);`;

/** A project with the program installed, and everything that was started in it. */
async function project() {
  const tree = await temporaryTree({
    "h/handler.js": "export default () => 1;",
    "waits.mjs": `import fs from "node:fs"; export default () => new Promise(() => { ${WAITS} });`,
    "node_modules/.bin/": "",
    "package.json": JSON.stringify({
      name: "app",
      scripts: {
        start: SERVE,
        shell: `true && ${SERVE} && true`,
        nested: "npm run --silent shell",
        background: `${SERVE} > said 2>&1 &`,
      },
    }),
  });
  const worker = path.resolve(program, "../../../runtime/sv-worker.cjs");
  for (const [name, file] of [
    ["sv-emulate", program],
    ["sv-runtime", program],
    ["sv-worker", worker],
  ] as const)
    await fs.symlink(file, tree.path("node_modules/.bin", name));
  const mark = randomUUID();
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(npm|sv|node_run)_/iu.test(name),
  );
  const running = () => system().marked(`${MARK}=${mark}`);
  const content = (file: string) => fs.readFile(tree.path(file), "utf8").catch(() => "");
  const said = () => content("said");
  return {
    /** Starts a command with its output in the file `said`; returns the process. */
    async start(command: string, ...args: string[]) {
      await using out = await fs.open(tree.path("said"), "w");
      return spawn(command, args, {
        cwd: tree.root,
        stdio: ["ignore", out.fd, out.fd],
        env: { ...Object.fromEntries(inherited), [MARK]: mark },
      });
    },
    content,
    said,
    running,
    /** The address, once the emulator can be called and its worker is there. */
    async url() {
      await expect.poll(said).toMatch(/^ready http/mu);
      return /^ready (\S+)$/mu.exec(await said())?.[1] ?? "";
    },
    async [Symbol.asyncDispose]() {
      for (const pid of running()) process.kill(pid, "SIGKILL");
      await expect.poll(running).toEqual([]);
      await tree[Symbol.asyncDispose]();
    },
  };
}

async function isReady(url: string): Promise<boolean> {
  return fetch(`${url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );
}

const npx = ["npx", "sv-runtime", ...SERVE.split(" ").slice(1)] as const;

test.each([
  ["npx", "SIGTERM", npx],
  ["npx", "SIGKILL", npx],
  ["npm start", "SIGTERM", ["npm", "start"]],
  ["npm run with a shell between", "SIGKILL", ["npm", "run", "shell"]],
  ...sized<readonly (readonly [string, NodeJS.Signals, readonly string[]])[]>(
    [],
    [
      ["npm start", "SIGKILL", ["npm", "start"]],
      ["npm run with a shell between", "SIGTERM", ["npm", "run", "shell"]],
      ["npm run within npm run", "SIGKILL", ["npm", "run", "nested"]],
    ],
  ),
  ["node --run", "SIGTERM", [process.execPath, "--run", "shell"]],
] as const)(
  "an emulator under %s ends with it at %s, and so do its workers",
  async (_, signal, [command, ...args]) => {
    await using app = await project();
    const launcher = await app.start(command ?? "", ...args);
    const url = await app.url();
    launcher.kill(signal);
    await expect.poll(app.running).toEqual([]);
    expect(await isReady(url)).toBe(false);
    if (signal === "SIGKILL")
      expect(await app.said()).toContain(`(process ${launcher.pid}) has ended`);
  },
);

test.each([
  ["the command of exec", ["sv-runtime", "exec", "h", "--", process.execPath, "-e", WAITS]],
  ["a worker without a service", ["sv-worker", "run", "waits.mjs", "--input", "{}"]],
])("%s ends with the package manager, too", async (_, args) => {
  await using app = await project();
  const launcher = await app.start("npx", ...args);
  await expect.poll(() => app.content("begun")).toBe("!");
  launcher.kill("SIGKILL");
  await expect.poll(app.running).toEqual([]);
});

test("what a step's shell or an npm script left in the background serves the next step", async () => {
  const left = [
    `nohup ./node_modules/.bin/${SERVE} &`,
    `${npx.join(" ")} &`,
    "npm run --silent background",
  ];
  await using apps = new AsyncDisposableStack();
  const urls = left.map(async (script) => {
    const app = apps.use(await project());
    const shell = await app.start("sh", "-c", script);
    const url = await app.url();
    await expect.poll(() => shell.exitCode).toBe(0);
    return url;
  });
  const ready = await Promise.all(urls);
  // Another emulator notices meanwhile that its package manager has ended.
  await using other = await project();
  const launcher = await other.start("npm", "run", "shell");
  await other.url();
  launcher.kill("SIGKILL");
  await expect.poll(other.running).toEqual([]);
  expect(await Promise.all(ready.map(isReady))).toEqual([true, true, true]);
});
