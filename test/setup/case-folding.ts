/** A file system that ignores the case of names, like a Mac's: exFAT in a file, mounted by root on Linux. */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { whatIsMissing } from "./debian-program.ts";
import { temporaryDirectory, type TemporaryDirectory } from "./temporary-directory.ts";

/** Reason that there are none here; undefined if there are. Under CI they are never missing. */
export const caseFoldingIsMissing: string | undefined = whatIsMissing(
  "tests on a file system that folds case",
  ["mkfs.exfat", "mount.exfat-fuse"],
);

const SIZE_BYTES = 32_000_000;

export function mountCaseFolding(): TemporaryDirectory {
  const home = temporaryDirectory();
  const [image, point] = [path.join(home.path, "image"), path.join(home.path, "mounted")];
  const run = (program: string, ...args: string[]) =>
    execFileSync(program, args, { stdio: "pipe", encoding: "utf8" }).trim();
  fs.mkdirSync(point);
  fs.writeFileSync(image, "");
  fs.truncateSync(image, SIZE_BYTES);
  run("/usr/sbin/mkfs.exfat", image);
  const device = run("/usr/sbin/losetup", "--find", "--show", image);
  try {
    run("/usr/sbin/mount.exfat-fuse", device, point);
  } catch (error) {
    run("/usr/sbin/losetup", "--detach", device);
    throw error;
  }
  return {
    path: point,
    [Symbol.dispose]() {
      run("/bin/umount", point);
      run("/usr/sbin/losetup", "--detach", device);
      home[Symbol.dispose]();
    },
  };
}
