/** The lock of a GPU: one emulator has it at a time. On systems without locks, GPUs are used without. */
import { expect, it } from "vitest";
import { deviceLocks } from "../../../../emulator/launch/gpus/socket-lock.ts";

const warnings: string[] = [];
const log = {
  info: () => undefined,
  warn: (_fields: object, message: string) => void warnings.push(message),
};
const aDevice = () => `GPU-${crypto.randomUUID()}`;

it.runIf(process.platform === "linux")("a lock belongs to one holder until it is released", () => {
  const [mine, theirs] = [deviceLocks(log), deviceLocks(log)];
  const device = aDevice();
  const lock = mine(device);
  expect(lock).toBeDefined();
  expect(theirs(device)).toBeUndefined();
  const other = theirs(aDevice());
  expect(other).toBeDefined();
  lock?.release();
  lock?.release();
  const next = theirs(device);
  expect(next).toBeDefined();
  next?.release();
  other?.release();
});

it("a lock has no holder if the system has no such locks", () => {
  const locks = deviceLocks(log, "darwin");
  const device = aDevice();
  expect(locks(device)).toBeDefined();
  expect(locks(device)).toBeDefined();
});

it.runIf(process.platform === "linux")(
  "a lock that is impossible is given up, which is logged once",
  async () => {
    const locks = deviceLocks(log);
    const tooLong = "x".repeat(200);
    expect(locks(tooLong)).toBeUndefined();
    await expect.poll(() => locks(tooLong)).toBeDefined();
    expect(warnings).toEqual([
      "GPUs cannot be locked here: other emulators of this machine may give them too",
    ]);
  },
);
