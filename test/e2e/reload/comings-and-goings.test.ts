/** Handlers that appear, disappear, change their settings or are broken from the start while the emulator runs. */
import fs from "node:fs";
import { describe, expect, test } from "vitest";
import { eventually } from "../jobs/observe.ts";
import { answering, expectAnswer, ReloadingEmulator } from "./reloading-emulator.ts";
import { testInFull } from "../../setup/size.ts";

/** A server that returns this text, and is healthy at once. */
function serving(text: string): string {
  return [
    `import { createServer } from "node:http";`,
    `const server = createServer((_, response) => response.end(${JSON.stringify(text)}));`,
    `server.listen(Number(process.env["PORT"]), "127.0.0.1");`,
    `process.once("SIGTERM", () => server.close(() => process.exit(0)));`,
  ].join("\n");
}

async function ask({ emulator }: ReloadingEmulator, id: string): Promise<string> {
  const headers = { authorization: `Bearer ${emulator.apiKey}` };
  const answer = await fetch(`${emulator.url}/lb/${id}/`, { headers });
  if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
  return answer.text();
}

describe("a directory of handlers", () => {
  test("serves a new handler, keeps the jobs of a removed one, and runs them when it is back", async () => {
    await using served = await ReloadingEmulator.start({
      "app/first/handler.ts": answering("first"),
    });
    served.save("app/second/handler.ts", answering("second"));
    await expectAnswer(served, "second", "second");
    served.save("app/second/handler.ts", answering("second, changed"));
    await expectAnswer(served, "second", "second, changed");

    fs.rmSync(served.path("app/first"), { recursive: true });
    await served.emulator.stderrMatch(/"first\\" is no longer served/u);
    const job = await served.client.endpoint("first").run({});
    await eventually("its workers are gone", async () => {
      const { workers } = await served.client.endpoint("first").health();
      const { idle, running, initializing = 0 } = workers;
      return idle + running + initializing === 0 || undefined;
    });
    expect(await served.client.endpoint("first").status(job.id)).toMatchObject({
      status: "IN_QUEUE",
    });
    served.save("app/first/handler.ts", answering("first, back again"));
    await expectAnswer(served, "first", "first, back again");
    expect(await served.client.endpoint("first").status(job.id)).toMatchObject({
      status: "COMPLETED",
      output: "first, back again",
    });
  });

  testInFull("serves a broken handler as soon as it is mended", async () => {
    await using served = await ReloadingEmulator.start({
      "app/broken/handler.ts": "export default () => {",
      "app/throws/handler.ts": `throw new Error("no weights");\n${answering("never")}`,
    });
    await served.emulator.stderrMatch(/worker could not initialize/u);
    served.save("app/broken/handler.ts", answering("mended"));
    served.save("app/throws/handler.ts", answering("with weights"));
    await expectAnswer(served, "broken", "mended");
    await expectAnswer(served, "throws", "with weights");
  });
});

test("a changed config is applied, and the log names the error of a wrong one", async () => {
  const config = (env: string) =>
    JSON.stringify({ endpoints: { told: { handler: "./told.ts", env: { WORD: env } } } });
  await using served = await ReloadingEmulator.start(
    {
      "app/sv.config.json": config("one"),
      "app/told.ts": `export default async () => process.env["WORD"] ?? "none";\n`,
    },
    {},
  );
  expect(await served.call("told")).toBe("one");
  served.save("app/sv.config.json", "{ no JSON");
  await served.emulator.stderrMatch(/the same handlers are still served: .*is not valid JSON/u);
  expect(await served.call("told")).toBe("one");
  served.save("app/sv.config.json", config("two"));
  await expectAnswer(served, "told", "two");
});

testInFull("a changed env file starts new workers with its values", async () => {
  const files = {
    "app/told/handler.ts": `export default async () => process.env["WORD"] ?? "none";\n`,
    "words.env": "WORD=one\n",
  };
  const args = ["app", "--env-file", "words.env"];
  await using served = await ReloadingEmulator.start(files, { args });
  expect(await served.call("told")).toBe("one");
  served.save("words.env", "no assignment\n");
  await served.emulator.stderrMatch(/the same handlers are still served: .*expected NAME=value/u);
  expect(await served.call("told")).toBe("one");
  served.save("words.env", "WORD=two\n");
  await expectAnswer(served, "told", "two");
});

testInFull(
  "a server is replaced when the new one is healthy, and no request fails meanwhile",
  async () => {
    await using served = await ReloadingEmulator.start({ "app/web/server.ts": serving("old") });
    expect(await ask(served, "web")).toBe("old");
    served.save("app/web/server.ts", serving("new"));
    // Each call rejects for any other answer than 200.
    await eventually(
      "the new server answers",
      async () => (await ask(served, "web")) === "new" || undefined,
    );
    served.save("app/web/server.ts", "process.exit(1);\n");
    await served.emulator.stderrMatch(/worker ended unasked|worker could not initialize/u);
    expect(await ask(served, "web")).toBe("new");
    served.save("app/web/server.ts", serving("newer"));
    await eventually(
      "the mended server answers",
      async () => (await ask(served, "web")) === "newer" || undefined,
    );
  },
);

testInFull("with --no-watch a change takes effect at the next start", async () => {
  const files = { "app/still/handler.ts": answering("before") };
  await using served = await ReloadingEmulator.start(files, { args: ["app", "--no-watch"] });
  await using watching = await ReloadingEmulator.start(files, { args: ["dev", "app"] });
  served.save("app/still/handler.ts", answering("after"));
  watching.save("app/still/handler.ts", answering("after"));
  await expectAnswer(watching, "still", "after");
  expect(await served.call("still")).toBe("before");
});
