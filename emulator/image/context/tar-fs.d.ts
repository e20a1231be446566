/** What is used of the package tar-fs, which brings no types. */
declare module "tar-fs" {
  import type { Readable } from "node:stream";

  /** A file as the archive will describe it. */
  export interface Header {
    name: string;
    type: "file" | "directory" | "symlink" | "link";
    mode: number;
    mtime: Date;
    uid: number;
    gid: number;
  }

  /** An archive that is being written. */
  export interface Pack extends Readable {
    entry(header: Partial<Header> & { readonly name: string }, content: string | Buffer): void;
    finalize(): void;
  }

  export interface PackOptions {
    /** Absolute paths; what lies below an ignored directory is not looked at. */
    readonly ignore?: (path: string) => boolean;
    readonly map?: (header: Header) => Header;
    /** In order of name. */
    readonly sort?: boolean;
    /** False: sockets and devices are left out, instead of being an error. */
    readonly strict?: boolean;
    /** An archive to go on with, and what to do when the directory is in it. */
    readonly pack?: Pack;
    readonly finalize?: boolean;
    readonly finish?: (pack: Pack) => void;
  }

  const tarFs: { pack(directory: string, options?: PackOptions): Pack };
  export default tarFs;
}
