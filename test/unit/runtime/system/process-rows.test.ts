/** Output of `ps` on systems without /proc, in its variants. */
import { expect, test } from "vitest";
import { rowsOf } from "../../../../runtime/system/process-rows.ts";

const MACOS = `    1     0     1 Ss    13344 Sat Nov  7 09:12:04 2026     /sbin/launchd
  501   412   501 S+   102400 Fri Nov 27 23:38:27 2026     node /Users/ada/my handler.js HOME=/Users/ada SV_WORKER_ID=a1
  502   501   501 Z+        0 Fri Nov 27 23:38:28 2026     (sh)
`;
const FREEBSD = ` 811 810 811 SsJ  5120 Fri Nov 27 23:38:27 2026 SV_WORKER_ID=a1 PATH=/bin node x.js`;

test("the rows of macOS are read, also commands with blanks", () => {
  const [first, node, zombie] = rowsOf(MACOS);
  expect(first).toMatchObject({ pid: 1, parent: 0, group: 1, residentBytes: 13_344 * 1_024 });
  expect(first?.startS).toBe(Date.UTC(2026, 10, 7, 9, 12, 4) / 1_000);
  expect(node?.command).toMatch(/^node .* SV_WORKER_ID=a1$/);
  expect([node?.isZombie, zombie?.isZombie]).toEqual([false, true]);
});

test("a mark is also found before the command, where the BSDs print the environment", () => {
  expect(rowsOf(FREEBSD)[0]?.command.startsWith("SV_WORKER_ID=a1 ")).toBe(true);
});

test("a row without a requested command has none, and other lines are no rows", () => {
  const [row, ...more] = rowsOf(
    "  501   412   501 S+   10 Fri Nov 27 23:38:27 2026    \nps: odd\n",
  );
  expect([row?.pid, row?.command, more]).toEqual([501, "", []]);
});

test("a start time in an unknown format is left out", () => {
  expect(rowsOf("1 0 1 S 10 ven. nov. 27 23:38:27 2026")[0]?.startS).toBeUndefined();
  expect(rowsOf("1 0 1 S 10 Fri Xyz 27 23:38:27 2026")[0]?.startS).toBeUndefined();
});
