/** An emulator process with its object store, and programs that use it. */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { type EmulatorProcess, startEmulatorProcess } from "../emulator-process.ts";
import { temporaryDirectory } from "../../setup/temporary-directory.ts";

const HANDLER = path.resolve(import.meta.dirname, "../../fixtures/handlers/shows-environment.ts");

export interface ObjectEmulator extends AsyncDisposable {
  readonly emulator: EmulatorProcess;
  readonly dataDir: string;
  readonly endpoint: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** An empty directory for the test's files. */
  readonly scratch: string;
  /** Runs a program with the store's settings in its environment. Resolves to stdout; rejects if it fails. */
  run(command: string, ...args: readonly string[]): Promise<string>;
}

export async function startObjectEmulator(): Promise<ObjectEmulator> {
  const temporary = temporaryDirectory();
  const dataDir = path.join(temporary.path, "data");
  const scratch = path.join(temporary.path, "scratch");
  fs.mkdirSync(scratch);
  const args = [HANDLER, "--data-dir", dataDir, "--log", "json"];
  const emulator = await startEmulatorProcess({ args });
  const [, endpoint = ""] = await emulator.stderrMatch(/object store .* at (http:\S+),/);
  const kept = fs.readFileSync(path.join(dataDir, "objects", "credentials"), "utf8");
  const [, accessKeyId = ""] = /aws_access_key_id = (\S+)/.exec(kept) ?? [];
  const [, secretAccessKey = ""] = /aws_secret_access_key = (\S+)/.exec(kept) ?? [];
  const env = environment(endpoint, path.join(dataDir, "objects", "credentials"), scratch);
  return {
    emulator,
    dataDir,
    endpoint,
    accessKeyId,
    secretAccessKey,
    scratch,
    async run(command, ...rest) {
      const { stdout } = await promisify(execFile)(command, rest, {
        env,
        cwd: scratch,
        maxBuffer: 64_000_000,
      });
      return stdout;
    },
    async [Symbol.asyncDispose]() {
      await emulator[Symbol.asyncDispose]();
      temporary[Symbol.dispose]();
    },
  };
}

/** An environment without this machine's settings for these programs. */
function environment(endpoint: string, credentialsFile: string, home: string) {
  return {
    PATH: process.env["PATH"],
    LANG: "C.UTF-8",
    HOME: home,
    // The remote `sv:` of rclone, which reads the keys from the emulator's file.
    RCLONE_CONFIG: "/dev/null",
    RCLONE_CONFIG_SV_TYPE: "s3",
    RCLONE_CONFIG_SV_PROVIDER: "Other",
    RCLONE_CONFIG_SV_ENDPOINT: endpoint,
    RCLONE_CONFIG_SV_ENV_AUTH: "true",
    AWS_SHARED_CREDENTIALS_FILE: credentialsFile,
  };
}

/** Arguments of s3cmd for the store. */
export function s3cmdArguments(store: ObjectEmulator): readonly string[] {
  const host = new URL(store.endpoint).host;
  return [
    "--config=/dev/null",
    `--access_key=${store.accessKeyId}`,
    `--secret_key=${store.secretAccessKey}`,
    `--host=${host}`,
    `--host-bucket=${host}`,
    "--no-ssl",
    "--no-progress",
  ];
}

/** Writes a tree of files: nested, of different sizes, some empty, with names that need escapes. */
export function writeTree(root: string, count: number): void {
  const parts = ["plain", "two words", "ü\u0308mläut", "a+b&c=d%20", "[x]{y}'z'", "日本"];
  for (let index = 0; index < count; index += 1) {
    const folder = parts[index % parts.length] ?? "";
    const inner = parts[Math.floor(index / parts.length) % parts.length] ?? "";
    const directory = path.join(root, folder, inner);
    fs.mkdirSync(directory, { recursive: true });
    const bytes = Buffer.alloc(index % 50 === 0 ? 0 : index * 101, `${index} `);
    fs.writeFileSync(path.join(directory, `file ${index}.bin`), bytes);
  }
}

/** The digest of each file below a directory, by path. */
export function digestsOf(root: string): Readonly<Record<string, string>> {
  const entries = fs.readdirSync(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return Object.fromEntries(
    files
      .map((entry) => path.join(entry.parentPath, entry.name))
      .map((file) => [path.relative(root, file), digestOf(file)]),
  );
}

export function digestOf(file: string): string {
  return createHash("sha256").update(fs.readFileSync(file)).digest("hex");
}
