/** Cases of worker threads and child processes. */
import { PACKAGES } from "./case-files.ts";
import type { ModuleCase } from "./module-case.ts";

export const PROGRAMS: readonly ModuleCase[] = [
  {
    what: '`new Worker(new URL("./w.ts", import.meta.url))`, with enums, aliases and packages',
    files: {
      ...PACKAGES,
      "tsconfig.json": JSON.stringify({ compilerOptions: { paths: { "@app/*": ["./lib/*"] } } }),
      "lib/word.ts": "export enum Word { A = 'alias' }",
      "handler.ts": `import { once } from "node:events";\nimport { Worker } from "node:worker_threads";\nexport default async (): Promise<unknown> => (await once(new Worker(new URL("./threads/w.ts", import.meta.url), { workerData: 2 }), "message"))[0];`,
      "threads/w.ts": `import { parentPort, workerData } from "node:worker_threads";\nimport { word } from "new-pkg";\nimport { Word } from "@app/word";\nimport { basename } from "node:path";\nparentPort?.postMessage([word, Word.A, workerData, require("old-pkg").word, basename(__filename), import.meta.main]);`,
    },
    output: ["new", "alias", 2, "old", "w.ts", true],
  },
  {
    what: "a worker thread by another ending (`./w`, `./w.js` for `w.ts`), by a path (`join(__dirname, …)`), or the handler itself",
    files: {
      "handler.ts": `import { once } from "node:events";
import * as threads from "node:worker_threads";
import path, { join } from "node:path";
import { ask } from "./ask";
const { isMainThread, parentPort, Worker } = threads;
enum Where { Thread = "thread of the handler" }
if (!isMainThread) parentPort?.postMessage(Where.Thread);
const file = new URL("./w", import.meta.url);
export default async (): Promise<unknown> => Promise.all([
  ask(new Worker(file)),
  ask(new threads.Worker(new URL('./w.js', import.meta.url))),
  ask(new Worker(join(__dirname, "w.ts"))),
  ask(new Worker(path.resolve(import.meta.dirname, "./sub", "w"))),
  ask(new Worker(\`\${__dirname}/w.ts\`)),
  ask(new Worker(require.resolve("./w.ts"))),
  ask(new Worker(new URL(import.meta.url))),
]);`,
      "ask.ts": `import { once } from "node:events";\nimport type { Worker } from "node:worker_threads";\nexport const ask = async (worker: Worker): Promise<unknown> => (await once(worker, "message"))[0];`,
      "w.ts": `import { parentPort } from "node:worker_threads";\nenum Word { W = "w" }\nparentPort?.postMessage(Word.W);`,
      "sub/w.ts": `import { parentPort } from "node:worker_threads";\nenum Word { W = "sub" }\nparentPort?.postMessage(Word.W);`,
    },
    output: ["w", "w", "w", "sub", "w", "w", "thread of the handler"],
  },
  {
    what: "`fork` and `spawn(process.execPath, …)` of a file of TypeScript, which can start others",
    files: {
      ...PACKAGES,
      "handler.ts": `import { execFile, fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
const program = fileURLToPath(new URL("./child.ts", import.meta.url));
export default async (): Promise<unknown> => [
  (await once(fork(path.join(__dirname, "child.ts")), "message"))[0],
  (await promisify(execFile)(process.execPath, [program, "x"])).stdout.trim(),
];`,
      "child.ts": `import { fileURLToPath } from "node:url";
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { word } from "new-pkg";
enum Kind { Child = "child" }
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [of] = await once(new Worker(new URL("./grandchild.js", import.meta.url)), "message");
  const all = [Kind.Child, word, of, ...process.argv.slice(2)];
  if (process.send) process.send(all); else console.log(all.join());
  process.disconnect?.();
}`,
      "grandchild.ts": `import { parentPort } from "node:worker_threads";\nenum Kind { Of = "grandchild" }\nparentPort?.postMessage(Kind.Of);`,
    },
    output: [["child", "new", "grandchild"], "child,new,grandchild,x"],
  },
  {
    what: "a worker thread in JavaScript, outside the handler's directory",
    handler: "worker/handler.mjs",
    files: {
      "worker/handler.mjs": `import { ask } from "../shared/ask.mjs";\nexport default ask;`,
      "shared/ask.mjs": `import { once } from "node:events";\nimport { Worker } from "node:worker_threads";\nexport const ask = async () => (await once(new Worker(new URL("./w.mjs", import.meta.url)), "message"))[0];`,
      "shared/w.mjs": `import { parentPort } from "node:worker_threads";\nimport { word } from "./word.mjs";\nparentPort.postMessage(word);`,
      "shared/word.mjs": "export const word = 'shared';",
    },
    output: "shared",
  },
];
