/** Tells which file systems do not report changes that are made elsewhere: by a host, a server, or a program behind FUSE. */
import { statfs } from "node:fs/promises";

/** The `statfs` types of Linux, with a name for people. */
const SILENT: ReadonlyMap<number, string> = new Map([
  [0x0102_1997, "9p, as directories of Windows in WSL 2"],
  [0x6573_5546, "FUSE, as bindfs, sshfs, virtiofs and directories that Docker Desktop shares"],
  [0x6a65_6a63, "a directory that Docker Desktop shares"],
  [0x0000_6969, "NFS"],
  [0x0000_517b, "SMB"],
  [0xff53_4d42, "CIFS"],
  [0xfe53_4d42, "SMB"],
  [0x786f_4256, "a shared folder of VirtualBox"],
  [0x7c7c_6673, "a shared folder of Parallels"],
  [0xbacb_acbc, "a shared folder of VMware"],
  [0x5346_414f, "AFS"],
  [0x00c3_6400, "Ceph"],
]);

/** The type of a directory's file system. Undefined if it is not known, for example because the directory does not exist. */
export type FileSystemType = (directory: string) => Promise<number | undefined>;

export const typeByStatfs: FileSystemType = async (directory) => {
  // The numbers of other systems mean something else.
  if (process.platform !== "linux") return undefined;
  const found = await statfs(directory).catch(() => undefined);
  return found?.type;
};

/** A name of the type if it does not report all changes. */
export function silentFileSystem(type: number | undefined): string | undefined {
  return type === undefined ? undefined : SILENT.get(type >>> 0);
}

const LIMITS: ReadonlyMap<unknown, string> = new Map([
  ["ENOSPC", "fs.inotify.max_user_watches (sysctl)"],
  ["EMFILE", "fs.inotify.max_user_instances (sysctl) or ulimit -n"],
]);

/** The limit to raise after an error of a watcher. Undefined for an error that is about no limit. */
export function limitOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? LIMITS.get(error.code) : undefined;
}
