/** Edits of handlers while they are served: the edits that reload them, and the fate of running jobs. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Gate } from "../jobs/gate.ts";
import { eventually } from "../jobs/observe.ts";
import { answering, expectAnswer, ReloadingEmulator } from "./reloading-emulator.ts";
import { testInFull } from "../../setup/size.ts";

const FILES = {
  "app/plain/handler.ts": answering("first"),
  "app/parts/handler.ts": [
    `import { part } from "./lib/part.ts";`,
    `import words from "./words.json" with { type: "json" };`,
    `import { shared } from "shared";`,
    `import fs from "node:fs";`,
    `const corpus = (): string => fs.readFileSync(new URL("corpus.txt", import.meta.url), "utf8");`,
    `export default async (): Promise<string> => [part, words.word, shared, corpus()].join(" ");`,
  ].join("\n"),
  "app/parts/lib/part.ts": `export const part: string = "part";\n`,
  "app/parts/words.json": `{ "word": "word" }`,
  "app/parts/corpus.txt": "corpus",
  "shared/package.json": `{ "name": "shared", "type": "module", "exports": "./src/index.ts" }`,
  "shared/src/index.ts": `export { shared } from "./deep.ts";\n`,
  "shared/src/deep.ts": `export const shared: string = "shared";\n`,
  "app/script/handler.mjs": `import { answer } from "./answer.mjs";\nexport default () => answer;\n`,
  "app/script/answer.mjs": `export const answer = "js";\n`,
  "app/held/handler.ts": gateHandler("old"),
  "node_modules/": "",
  "package.json": `{ "type": "module" }`,
};

/** Answers with its version when the gate is open. */
function gateHandler(version: string): string {
  return [
    `export const concurrency = 2;`,
    `export default async (job: { input: { gate?: string } }): Promise<string> => {`,
    `  if (job.input.gate !== undefined) await fetch(job.input.gate);`,
    `  return ${JSON.stringify(version)};`,
    `};`,
  ].join("\n");
}

let served: ReloadingEmulator;

beforeAll(async () => {
  served = await ReloadingEmulator.start(FILES, { links: { "node_modules/shared": "../shared" } });
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
});

describe("a save", () => {
  test("in place takes effect with the next job", async () => {
    expect(await served.call("plain")).toBe("first");
    served.save("app/plain/handler.ts", answering("second"));
    await expectAnswer(served, "plain", "second");
  });

  test("that changes the handler's input schema changes the OpenAPI document", async () => {
    const handler = (type: string) =>
      [
        `const jsonSchema = { input: () => ({ type: "object", properties: { name: { type: "${type}" } } }) };`,
        `const validate = (value: unknown) => ({ value });`,
        `export const input = { "~standard": { version: 1, vendor: "mine", validate, jsonSchema } };`,
        `export default () => "any";`,
      ].join("\n");
    const shown = async () => {
      const { url, apiKey = "" } = served.emulator;
      const headers = { authorization: apiKey };
      const answer = await fetch(`${url}/v1/openapi.json`, { headers });
      const [, type] =
        /"plain\.input":\{"type":"object","properties":\{"name":\{"type":"(\w+)"/u.exec(
          await answer.text(),
        ) ?? [undefined, "nothing"];
      return type;
    };
    const showing = async (type: string) => expect.poll(shown).toBe(type);
    for (const type of ["string", "integer"]) {
      served.save("app/plain/handler.ts", handler(type));
      await showing(type);
    }
    served.save("app/plain/handler.ts", answering("without"));
    await showing("nothing");
  });
});

describe("a reload", () => {
  test("follows imported files, data included, and workspace packages, but not files that the handler reads", async () => {
    await expectAnswer(served, "parts", "part word shared corpus");
    served.save("app/parts/lib/part.ts", `export const part: string = "PART";\n`);
    await expectAnswer(served, "parts", "PART word shared corpus");
    served.save("app/parts/words.json", `{ "word": "WORD" }`);
    await expectAnswer(served, "parts", "PART WORD shared corpus");
    served.save("shared/src/deep.ts", `export const shared: string = "SHARED";\n`);
    await expectAnswer(served, "parts", "PART WORD SHARED corpus");
    const before = served.reloads("parts");
    served.save("app/parts/corpus.txt", "CORPUS");
    expect(await served.call("parts")).toBe("PART WORD SHARED CORPUS");
    served.save("package.json", `{ "type": "module", "version": "2.0.0" }`);
    await served.reloaded("parts", before + 1);
    expect(served.reloads("parts")).toBe(before + 1);
  });

  test("follows JavaScript and its imports", async () => {
    expect(await served.call("script")).toBe("js");
    served.save("app/script/answer.mjs", `export const answer = "other js";\n`);
    await expectAnswer(served, "script", "other js");
  });
});

describe("jobs", () => {
  test("that run finish in the version they began in, and new jobs run the new one", async () => {
    await using gate = await Gate.build();
    const old = served.call("held", gate.input("old"));
    await gate.arrival("old");
    served.save("app/held/handler.ts", gateHandler("new"));
    await expectAnswer(served, "held", "new");
    await gate.open("old");
    expect(await old).toBe("old");
  });

  testInFull("do not fail or get lost while files are saved under load", async () => {
    const load = new AbortController();
    const answers: unknown[] = [];
    const callers = Array.from({ length: 4 }, async () => {
      while (!load.signal.aborted) answers.push(await served.call("held"));
    });
    for (let version = 0; version < 15; version += 1) {
      served.save("app/held/handler.ts", gateHandler(`v${version}`));
      await expectAnswer(served, "held", `v${version}`);
    }
    load.abort();
    // A failed job would reject.
    await Promise.all(callers);
    expect(answers.length).toBeGreaterThan(15);
    const { jobs } = await served.client.endpoint("held").health();
    expect(jobs).toMatchObject({ failed: 0, retried: 0, inQueue: 0, inProgress: 0 });
  });

  test("fail with a stack that has the lines of the new source", async () => {
    const source = "\n\n\nexport default (): never => {\n  throw new Error('here');\n};\n";
    served.save("app/plain/handler.ts", source);
    await served.reloaded("plain", served.reloads("plain") + 1);
    const failure = await served.failureOf("plain");
    expect(failure.failure?.stack).toContain(`${served.path("app/plain/handler.ts")}:5:9`);
  });
});

describe("mistakes", () => {
  test("in the syntax are shown with their place, and the previous version serves until they are mended", async () => {
    served.save("app/plain/handler.ts", answering("good"));
    await expectAnswer(served, "plain", "good");
    served.save("app/plain/handler.ts", "export default () => {\n  return 1 +;\n};\n");
    const [line] = await served.emulator.stderrMatch(/.*handler\.ts:2:13.*/u);
    const { msg, level } = JSON.parse(line) as { msg: string; level: string };
    expect(level).toBe("error");
    expect(msg.split("\n")).toEqual([
      "handler.ts cannot be built, the previous version stays in service:",
      `${served.path("app/plain/handler.ts")}:2:13: Unexpected ";"`,
      "  2 |   return 1 +;",
      "    |             ^",
    ]);
    expect(await served.call("plain")).toBe("good");
    served.save("app/plain/handler.ts", answering("mended"));
    await expectAnswer(served, "plain", "mended");
  });

  test("that keep a version from loading are never reported as serving; a slow version is when it has loaded", async () => {
    served.save("app/plain/handler.ts", answering("before"));
    await expectAnswer(served, "plain", "before");
    const saying = () =>
      served.logged(/new jobs run it/u).filter((line) => line.includes('"plain"')).length;
    const [said, built] = [saying(), served.reloads("plain")];
    const slow = [
      `import { existsSync } from "node:fs";`,
      `const flag = new URL("../../flag", ${JSON.stringify(`file://${served.path("app/plain/handler.ts")}`)});`,
      `while (!existsSync(flag)) await new Promise((resolve) => setTimeout(resolve, 20));`,
      answering("after"),
    ].join("\n");
    served.save("app/plain/handler.ts", slow);
    await served.reloaded("plain", built + 1);
    const answer = served.call("plain");
    // The job waits for the new version, which the emulator has announced.
    await eventually("the job waits", async () => {
      const { jobs } = await served.client.endpoint("plain").health();
      return jobs.inQueue === 1 || undefined;
    });
    expect(saying()).toBe(said);
    served.save("flag", "");
    expect(await answer).toBe("after");
    await eventually("it is said", () => saying() === said + 1 || undefined);
    served.save("app/plain/handler.ts", `throw new Error("no memory");\n${answering("never")}`);
    await served.emulator.stderrMatch(/no memory.*The previous version stays in service/u);
    expect(saying()).toBe(said + 1);
    served.save("app/plain/handler.ts", answering("mended"));
    await expectAnswer(served, "plain", "mended");
  });
});
