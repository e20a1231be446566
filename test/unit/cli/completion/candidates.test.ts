/** Completions of command lines. */
import { expect, test } from "vitest";
import { commandTree } from "../../../../emulator/cli/command.ts";
import { candidateLines, candidates } from "../../../../emulator/cli/completion/candidates.ts";

async function offered(...words: string[]) {
  const tree = commandTree("1.2.3");
  const { values, files } = await candidates(tree, words, async () => ["hello", "tokens"]);
  return { values: values.map(({ value }) => value), files };
}

test("the first word may be a command, or a file to serve", async () => {
  const { values, files } = await offered("");
  expect(values).toEqual(expect.arrayContaining(["build", "jobs", "logs", "completion"]));
  expect(values).not.toContain("complete");
  expect(files).toBe(true);
  expect(await offered("jo")).toEqual({ values: ["jobs", "job"], files: true });
});

test("after a target more targets are offered, and no commands", async () => {
  expect(await offered("examples", "")).toEqual({ values: [], files: true });
});

test("a command offers only its own flags", async () => {
  expect((await offered("--lo")).values).toEqual(["--local-webhooks", "--log"]);
  expect((await offered("purge", "--")).values).toEqual(["--yes", "--url", "--json", "--help"]);
});

test("the choices of a flag are offered after a blank and after =", async () => {
  const statuses = ["COMPLETED", "CANCELLED"];
  expect(await offered("jobs", "--status", "C")).toEqual({ values: statuses, files: false });
  // Words as bash splits them.
  expect(await offered("jobs", "--status", "=", "C")).toEqual({ values: statuses, files: false });
  expect((await offered("jobs", "--status", "=")).values).toHaveLength(6);
  expect((await offered("jobs", "--status=C")).values).toEqual(
    statuses.map((status) => `--status=${status}`),
  );
  expect(await offered("--data-dir", "")).toEqual({ values: [], files: true });
  expect(await offered("--port", "")).toEqual({ values: [], files: false });
});

test("a command that takes an endpoint offers them, and one that takes a job offers nothing", async () => {
  expect(await offered("jobs", "")).toEqual({ values: ["hello", "tokens"], files: false });
  expect(await offered("purge", "--yes", "t")).toEqual({ values: ["tokens"], files: false });
  expect(await offered("jobs", "hello", "")).toEqual({ values: [], files: false });
  expect(await offered("job", "")).toEqual({ values: [], files: false });
  expect((await offered("completion", "")).values).toEqual(["bash", "zsh", "fish"]);
});

test("a shell gets a line for each candidate, and whether files are allowed", () => {
  const values = [{ value: "a", description: "does a" }];
  expect(candidateLines({ values, files: true })).toBe("a\tdoes a\n:files\n");
});
