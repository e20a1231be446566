/** How command lines may go on. */
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

test("behind a target come more targets, and no commands", async () => {
  expect(await offered("examples", "")).toEqual({ values: [], files: true });
});

test("only the flags of the command are offered", async () => {
  expect((await offered("--lo")).values).toEqual(["--local-webhooks", "--log"]);
  expect((await offered("purge", "--")).values).toEqual(["--yes", "--url", "--json", "--help"]);
});

test("the choices of a flag are offered in both forms of writing it", async () => {
  const statuses = ["COMPLETED", "CANCELLED"];
  expect(await offered("jobs", "--status", "C")).toEqual({ values: statuses, files: false });
  // As bash parts it.
  expect(await offered("jobs", "--status", "=", "C")).toEqual({ values: statuses, files: false });
  expect((await offered("jobs", "--status", "=")).values).toHaveLength(6);
  expect((await offered("jobs", "--status=C")).values).toEqual(
    statuses.map((status) => `--status=${status}`),
  );
  expect(await offered("--data-dir", "")).toEqual({ values: [], files: true });
  expect(await offered("--port", "")).toEqual({ values: [], files: false });
});

test("endpoints are named where a command takes one, and nothing where it takes a job", async () => {
  expect(await offered("jobs", "")).toEqual({ values: ["hello", "tokens"], files: false });
  expect(await offered("purge", "--yes", "t")).toEqual({ values: ["tokens"], files: false });
  expect(await offered("jobs", "hello", "")).toEqual({ values: [], files: false });
  expect(await offered("job", "")).toEqual({ values: [], files: false });
  expect((await offered("completion", "")).values).toEqual(["bash", "zsh", "fish"]);
});

test("a shell reads a line for each candidate, and whether files fit", () => {
  const values = [{ value: "a", description: "does a" }];
  expect(candidateLines({ values, files: true })).toBe("a\tdoes a\n:files\n");
});
