/** Rules about this repository's own tree, each with violations that it must find. */
import { describe, expect, test } from "vitest";
import { circleOffences } from "./tidy/circles.ts";
import { clockOffences } from "./tidy/clocks.ts";
import { directionOffences } from "./tidy/directions.ts";
import { escapeOffences } from "./tidy/escapes.ts";
import { endingOffences } from "./tidy/imports.ts";
import { lifeOffences } from "./tidy/life.ts";
import { partsOffences } from "./tidy/parts.ts";
import { bucketOffences, lengthOffences, openingOffences } from "./tidy/shape.ts";
import { commentOffences } from "./tidy/comments.ts";
import { expectCaught, offences } from "./tidy/planted.ts";
import { parse } from "./tidy/source.ts";
import { statusOffences } from "./tidy/status.ts";
import { isSource, textFiles } from "./tidy/tree.ts";
import { wordOffences } from "./tidy/words.ts";

const files = textFiles();
const sources = files.filter(isSource).map((file) => parse(file.path, file.text));

test("the rules cover the tree: source on both sides, other text files, nothing installed or built", () => {
  const paths = files.map((file) => file.path);
  expect(paths).toEqual(
    expect.arrayContaining([
      "package.json",
      ".ci/run",
      "runtime/protocol/limits.ts",
      "emulator/core/jobs/job.ts",
      "test/tidy.test.ts",
    ]),
  );
  expect(paths.filter((path) => /node_modules|^dist\/|^\.git\//.test(path))).toEqual([]);
});

describe("import directions", () => {
  test("every file imports only from the layers that its own layer may import", () => {
    expect(offences(sources, directionOffences)).toEqual([]);
  });

  test("a wrong direction is caught in each form of import", () => {
    expectCaught(directionOffences, [
      {
        at: "runtime/core/x.ts",
        caught: [
          `import { a } from "../../emulator/core/job.ts"`,
          `import type { A } from "../isolate/a.ts"`,
          `export { a } from "../worker.ts"`,
          `export * from "../worker.ts"`,
          `const a = await import("../worker.ts")`,
          "const a = await import(`../worker.ts`)",
          `type A = import("../worker.ts").A`,
          `import fs from "node:fs"`,
        ],
        allowed: [`import { LIMITS } from "../protocol/limits.ts"; import { s } from "./split.ts"`],
      },
      { at: "runtime/protocol/x.ts", caught: [`import "../core/split.ts"`] },
      {
        at: "runtime/isolate/x.ts",
        caught: [`import "../source/grpc.ts"`, `import "../worker.ts"`, `import "sv-runtime"`],
        allowed: [`import "../core/split.ts"; import "../protocol/a.ts"; import "node:fs"`],
      },
      { at: "runtime/worker.ts", caught: [`import "../emulator/emulator.ts"`] },
      {
        at: "emulator/core/x.ts",
        caught: [`import "../store/store.ts"`, `import "../../runtime/core/a.ts"`, `import "pino"`],
        allowed: [`import "../../runtime/protocol/limits.ts"`],
      },
      {
        at: "emulator/engine/x.ts",
        caught: [`import "../store/sqlite/open.ts"`, `import "../http/a.ts"`],
        allowed: [`import "../core/job.ts"; import "../store/store.ts"`],
      },
      { at: "emulator/store/sqlite/x.ts", caught: [`import "../../engine/a.ts"`] },
      { at: "emulator/launch/x.ts", caught: [`import "../store/store.ts"`] },
      { at: "emulator/http/jobs/x.ts", caught: [`import "../../store/store.ts"`] },
      { at: "emulator/grpc/x.ts", caught: [`import "../http/a.ts"`] },
      { at: "emulator/elsewhere/x.ts", caught: [`import "node:fs"`] },
      {
        at: "examples/hello/handler.ts",
        caught: [`import "../../runtime/index.ts"`, `import "../tokens/model.ts"`],
        allowed: [`import "sv-runtime"; import "./greeting.ts"`],
      },
    ]);
  });

  test("relative imports name the source file, ending in .ts", () => {
    expect(offences(sources, endingOffences)).toEqual([]);
    expectCaught(endingOffences, [
      {
        at: "runtime/core/x.ts",
        caught: [
          `import "./a.js"`,
          `import "./a"`,
          `export * from ".."`,
          `new URL("./a.ts", import.meta.url)`,
        ],
        allowed: [`import "./a.ts"; import "zod"; new URL("./a.proto", import.meta.url)`],
      },
    ]);
  });

  test("no file imports itself by way of others, not even types", () => {
    expect(circleOffences(sources)).toEqual([]);
    const [a, b, c] = [
      parse("a/a.ts", `import type { B } from "../b.ts"`),
      parse("b.ts", `export { C } from "./c.ts"`),
      parse("c.ts", `type A = import("./a/a.ts").A; import "./gone.ts"; import "zod"`),
    ];
    expect(circleOffences([a, b])).toEqual([]);
    expect(circleOffences([c, a, b])).toEqual([
      "these files import each other: a/a.ts, b.ts, c.ts",
    ]);
    expect(circleOffences([parse("d.ts", `const d = await import("./d.ts")`)])).toHaveLength(1);
  });
});

describe("shape of files", () => {
  test("no file is longer than 300 lines", () => {
    expect(offences(sources, lengthOffences)).toEqual([]);
    expect(lengthOffences({ path: "a.ts", text: "x\n".repeat(301) })).toHaveLength(1);
    expect(lengthOffences({ path: "a.ts", text: "x\n".repeat(300) })).toEqual([]);
  });

  test("every source file begins with a sentence about its purpose", () => {
    expect(offences(sources, openingOffences)).toEqual([]);
    expectCaught(openingOffences, [
      {
        at: "runtime/core/x.ts",
        caught: [
          `import "a";\n/** Says it too late, after code. */`,
          `export const a = 1;`,
          `// oxlint-disable-next-line`,
          `/** Splits. */`,
          `// no capital letter and no full stop`,
        ],
        allowed: [
          `/** Cuts an output into pieces that fit. */\nexport {};`,
          `#!/usr/bin/env node\n// Starts the emulator from\n// the command line.\nexport {};`,
          `/**\n * Cuts an output into\n * pieces that fit.\n */\nexport {};`,
        ],
      },
    ]);
  });

  test("no file or folder has a name without meaning", () => {
    expect(offences(files, bucketOffences)).toEqual([]);
    for (const path of [
      "runtime/utils/a.ts",
      "emulator/types.ts",
      "test/helpers.test.ts",
      "lib/a",
    ]) {
      expect.soft(bucketOffences({ path, text: "" }), path).toHaveLength(1);
    }
    expect(bucketOffences({ path: "runtime/library-loader.ts", text: "" })).toEqual([]);
  });
});

describe("reserved operations", () => {
  test("core and engine use neither the machine's clock nor its randomness", () => {
    expect(offences(sources, clockOffences)).toEqual([]);
    const caught = [
      `Date.now()`,
      `new Date()`,
      `Date()`,
      `Math.random()`,
      `const f = Math["random"]`,
      `setTimeout(f, 1)`,
      `globalThis.setInterval(f, 1)`,
      `setImmediate(f)`,
      `performance.now()`,
      `process.hrtime.bigint()`,
      `import { setTimeout as later } from "node:timers/promises"`,
      `import { performance } from "node:perf_hooks"`,
      `import { randomUUID } from "node:crypto"`,
      `import { uuidv7 } from "uuidv7"`,
    ];
    const allowed = [`new Date(at).toISOString(); clock.now(); "Date.now()"`];
    expectCaught(clockOffences, [
      { at: "emulator/core/x.ts", caught, allowed },
      { at: "emulator/engine/x.ts", caught, allowed },
      { at: "runtime/core/x.ts", caught, allowed },
      { at: "emulator/emulator.ts", allowed: caught },
    ]);
  });

  test("only the job's transition function assigns its status", () => {
    expect(offences(sources, statusOffences)).toEqual([]);
    const caught = [
      `job.status = "COMPLETED"`,
      `row.job.status = next`,
      `const j = { ...job, status: "FAILED" }`,
      "db.exec(`UPDATE jobs SET status = 'FAILED' WHERE id = 1`)",
      `db.exec("update jobs set n = 1, status='FAILED'")`,
    ];
    const allowed = [
      `this.status = status; if (job.status === "FAILED") reply.status(400)`,
      `const view = { id, status: job.status }; const answer = { ...base, status: 404 }`,
      `db.prepare("UPDATE jobs SET status = ? WHERE id = ?")`,
    ];
    expectCaught(statusOffences, [
      { at: "emulator/store/sqlite/x.ts", caught, allowed },
      { at: "emulator/core/jobs/job-transition.ts", allowed: caught },
    ]);
  });

  test("only the worker's transition function changes its life", () => {
    expect(offences(sources, lifeOffences)).toEqual([]);
    const caught = [
      `worker.life = next`,
      `session.worker.life = { ...worker.life, end: "left" }`,
      `class Handle { end() { this.life = next; } }`,
      `const life = { ...worker.life, phase: "ready" }`,
    ];
    const allowed = [
      `class Handle { constructor() { this.life = newLife(0); } }`,
      `const life = { phase: "starting", beganAt: 0 }; if (worker.life.phase === "ready") end()`,
      `const shown = { phase: "any", ...worker.life }`,
    ];
    expectCaught(lifeOffences, [
      { at: "emulator/engine/workers/worker-handle.ts", caught, allowed },
      { at: "emulator/core/workers/scaler.ts", caught, allowed },
      { at: "emulator/engine/workers/move-worker.ts", allowed: caught },
    ]);
  });
});

describe("forbidden code and text", () => {
  test("no use case takes the whole engine, and no port has more than twelve members", () => {
    expect(offences(sources, partsOffences)).toEqual([]);
    const wholeEngine = [
      `import type { EngineContext } from "../parts/engine-parts.ts"`,
      `import { type EngineContext as Engine } from "../parts/engine-parts.ts"`,
      `function f(engine: import("../parts/engine-parts.ts").EngineContext) {}`,
    ];
    const port = (count: number) =>
      `interface StepPort { ${Array.from({ length: count }, (_, at) => `p${at}: 1;`).join("")} }`;
    const [tooLarge, allowed] = [port(13), [port(12)]];
    expectCaught(partsOffences, [
      { at: "emulator/engine/jobs/x.ts", caught: [...wholeEngine, tooLarge], allowed },
      { at: "emulator/http/x.ts", caught: [...wholeEngine, tooLarge], allowed },
      { at: "emulator/assembly/x.ts", caught: [...wholeEngine, tooLarge] },
      { at: "emulator/engine/x.ts", caught: [tooLarge], allowed: wholeEngine },
      { at: "test/unit/x.ts", allowed: wholeEngine },
    ]);
  });

  test("no code silences the compiler or leaves a test out", () => {
    expect(offences(sources, escapeOffences)).toEqual([]);
    expectCaught(escapeOffences, [
      {
        at: "test/unit/x.test.ts",
        caught: [
          `const a = b as any`,
          `let a: any`,
          `let a: Map<string, any[]>`,
          `a!.b()`,
          `// @ts-ignore`,
          `// @ts-expect-error`,
          `test.only("a", f)`,
          `describe.concurrent.skip("a", f)`,
          `test.skip.each([1])("a", f)`,
          `it.todo("a")`,
        ],
        allowed: [`"as any"; rows.skip(1); test.each([1])("a", f); test("test.only(", f)`],
      },
      { at: "test/unit/x.test-d.ts", allowed: [`// @ts-expect-error`], caught: [`// @ts-ignore`] },
    ]);
  });

  test("no comment begins with a word for something said elsewhere", () => {
    expect(offences(sources, commentOffences)).toEqual([]);
    const caught = [
      `// Of a job.`,
      `/** Whose it is. */`,
      `// Takes so many.`,
      `// The same of pods.`,
    ];
    const allowed = [`/** The same seed gives the same text. */ // Runs so often that it is kept.`];
    expectCaught(commentOffences, [{ at: "runtime/core/x.ts", caught, allowed }]);
  });

  test("no text has notes to oneself or names where it was written", () => {
    expect(offences(files, wordOffences)).toEqual([]);
    const caught = [
      ["// TO", "DO: later"],
      ["FIX", "ME"],
      ["see issue", " A"],
      ["cd /wo", "rk/main"],
      ["Anthro", "pic"],
      ["https://registry.npm", "js.org/"],
    ];
    for (const parts of caught) {
      const text = parts.join("");
      expect.soft(wordOffences({ path: "README.md", text }), text).toHaveLength(1);
    }
    const text = "Framework/network/work/queue, methods to do things, and an issue about todos";
    expect(wordOffences({ path: "README.md", text })).toEqual([]);
  });
});
