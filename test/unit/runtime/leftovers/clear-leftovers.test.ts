/** The files that killed processes left are removed, and no others. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { clearLeftovers } from "../../../../runtime/leftovers/clear-leftovers.ts";
import { ownedName, ownershipOf } from "../../../../runtime/leftovers/owner.ts";
import { temporaryTree } from "../../../temporary-tree.ts";

const DAY_S = 24 * 3_600;
const owner = path.resolve(import.meta.dirname, "../../../../runtime/leftovers/owner.ts");

/** A process that prints the name of its files, and runs until it is killed. */
async function startOwner() {
  const program = `import { ownedName } from ${JSON.stringify(owner)};
    console.log(ownedName("sv-t"));
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [said] = (await once(child.stdout, "data")) as [Buffer];
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL");
    await once(child, "exit");
  };
  return { name: `${said.toString().trim()}-x`, kill };
}

test("a directory is removed after its owner was killed, and the caller's own stays", async () => {
  const { name, kill } = await startOwner();
  const mine = `${ownedName("sv-t")}-x`;
  await using tree = await temporaryTree({
    [`${name}/1/made.txt`]: "made",
    [`${mine}/`]: "",
  });
  expect([name, mine].map((each) => ownershipOf("sv-t", each))).toEqual(["alive", "mine"]);
  await clearLeftovers(tree.root, "sv-t");
  expect(await fs.readdir(tree.root)).toEqual([name, mine].toSorted());
  await kill();
  expect(ownershipOf("sv-t", name)).toBe("dead");
  await clearLeftovers(tree.root, "sv-t");
  expect(await fs.readdir(tree.root)).toEqual([mine]);
});

test("a later process with the number of a dead one is not taken for the owner", () => {
  const [kind, type, scope, pid, start = ""] = ownedName("sv-t").split("-");
  const earlier = (Number.parseInt(start, 36) - 100).toString(36);
  expect(ownershipOf("sv-t", [kind, type, scope, pid, earlier, "x"].join("-"))).toBe("dead");
});

test("leftovers of another machine or container are removed when they are older than any job", async () => {
  const [, , , ...rest] = ownedName("sv-t").split("-");
  const [young = "", old = ""] = ["000000", "000001"].map((scope) =>
    ["sv-t", scope, ...rest, "x"].join("-"),
  );
  await using tree = await temporaryTree({ [`${young}/`]: "", [`${old}/`]: "" });
  const now = Date.now() / 1_000;
  await fs.utimes(tree.path(young), now, now - 7 * DAY_S);
  await fs.utimes(tree.path(old), now, now - 9 * DAY_S);
  await clearLeftovers(tree.root, "sv-t");
  expect(await fs.readdir(tree.root)).toEqual([young]);
});

test("other names stay, and a missing directory is ignored", async () => {
  const { name, kind } = { name: ownedName("sv-other"), kind: "sv-t" };
  const files = [`${name}-x`, "sv-t", "sv-t-", "sv-t-notes", "sv-test-abc123-1-1-x", "else"];
  await using tree = await temporaryTree(Object.fromEntries(files.map((each) => [each, ""])));
  const old = Date.now() / 1_000 - 9 * DAY_S;
  for (const each of files) await fs.utimes(tree.path(each), old, old);
  await clearLeftovers(tree.root, kind);
  expect(await fs.readdir(tree.root)).toEqual(files.toSorted());
  await clearLeftovers(tree.path("nowhere"), kind);
});
