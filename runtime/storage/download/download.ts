/** Downloads a file into a directory of its own, completely or not at all. */
import fs from "node:fs";
import path from "node:path";
import { Buffer } from "node:buffer";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { DownloadedFile, DownloadOptions } from "../contract.ts";
import type { Incoming, ObjectStore } from "../object-store.ts";
import { StorageError } from "../storage-error.ts";
import { fileNameOf } from "./file-name.ts";
import { shownUrl } from "./http-failure.ts";
import { openUrl } from "./open-url.ts";

const IDLE_TIMEOUT_MS = 30_000;
const MAX_REDIRECTS = 5;
const BROWSER =
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36";

export interface DownloadTerms {
  /** Called only if a key is fetched. */
  readonly store: () => Promise<ObjectStore>;
  /** The directory of the job. */
  readonly tempDir: () => string;
  readonly signal: AbortSignal;
}

/** @throws StorageError, or the signal's reason when it aborts */
export async function download(
  from: string | URL,
  options: DownloadOptions,
  terms: DownloadTerms,
): Promise<DownloadedFile> {
  const source = readSource(from);
  const { timeoutMs } = options;
  const { signal } = terms;
  const limit = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
  const either = limit === undefined ? signal : AbortSignal.any([signal, limit]);
  try {
    return await fetchFile(source, options, { ...terms, signal: either });
  } catch (failure) {
    signal.throwIfAborted();
    if (limit?.aborted !== true) throw failure;
    throw new StorageError(
      "download_failed",
      `${source.shown} cannot be fetched: it took longer than ${timeoutMs} ms.`,
    );
  }
}

interface Source {
  /** Undefined: `name` is a key. */
  readonly url?: URL;
  readonly key: string;
  /** For messages. */
  readonly shown: string;
}

/** @throws TypeError if it is neither a URL that can be fetched nor a key */
function readSource(from: string | URL): Source {
  const text = String(from);
  const scheme = /^([a-z][a-z\d+.-]*):\/\/|^data:[^,]*,/i.exec(text)?.[0];
  if (scheme === undefined && typeof from === "string" && from !== "") {
    return { key: from, shown: `The object "${from}"` };
  }
  const url = URL.parse(text);
  if (url === null || !/^(?:https?|data):$/.test(url.protocol)) {
    throw new TypeError(
      `A download needs an http, https or data URL, or the key of an object; ${JSON.stringify(text.slice(0, 100))} is neither.`,
    );
  }
  if (url.protocol === "data:") return { url, key: "", shown: "The data URL" };
  return { url, key: url.pathname, shown: shownUrl(url) };
}

async function fetchFile(
  source: Source,
  options: DownloadOptions,
  terms: DownloadTerms,
): Promise<DownloadedFile> {
  const { fileName = source.key, maxBytes = Infinity } = options;
  const incoming = await open(source, options, terms);
  // An error without a reader is ignored.
  incoming.stream.on("error", () => {});
  const { sizeBytes: announced = 0, contentType = "application/octet-stream" } = incoming;
  try {
    if (announced > maxBytes) throw tooLarge(source, maxBytes);
    const directory = await fs.promises.mkdtemp(path.join(terms.tempDir(), "download-"));
    const file = path.join(directory, fileNameOf(fileName));
    try {
      const sizeBytes = await write(incoming.stream, file, terms.signal, (bytes) => {
        if (bytes > maxBytes) throw tooLarge(source, maxBytes);
      });
      return { path: file, sizeBytes, contentType };
    } catch (failure) {
      await fs.promises.rm(directory, { recursive: true, force: true });
      throw incoming.stream.errored === failure ? brokenOff(source, failure) : failure;
    }
  } finally {
    incoming.stream.destroy();
  }
}

/** @param check called with the number of bytes so far, before they are written; may throw */
async function write(
  stream: Readable,
  file: string,
  signal: AbortSignal,
  check: (bytes: number) => void,
): Promise<number> {
  let bytes = 0;
  const counted = async function* (pieces: AsyncIterable<Uint8Array>) {
    for await (const piece of pieces) {
      bytes += piece.byteLength;
      check(bytes);
      yield piece;
    }
  };
  const target = fs.createWriteStream(file, { flags: "wx", mode: 0o600 });
  await pipeline(stream, counted, target, { signal });
  return bytes;
}

function tooLarge({ shown }: Source, maxBytes: number): StorageError {
  return new StorageError(
    "download_too_large",
    `${shown} is larger than ${maxBytes} bytes, the maximum of this download.`,
  );
}

function brokenOff({ shown }: Source, failure: unknown): unknown {
  if (failure instanceof StorageError || !(failure instanceof Error)) return failure;
  return new StorageError("download_failed", `${shown} broke off: ${failure.message}.`);
}

async function open(
  { url, key }: Source,
  options: DownloadOptions,
  { store, signal }: DownloadTerms,
): Promise<Incoming> {
  const { idleTimeoutMs = IDLE_TIMEOUT_MS, maxRedirects = MAX_REDIRECTS } = options;
  const { forbidPrivateAddresses = false, headers = {} } = options;
  if (url === undefined) return (await store()).get(key, { idleTimeoutMs, signal });
  if (url.protocol === "data:") return openData(url);
  const userAgent = options.userAgent === "browser" ? BROWSER : options.userAgent;
  const terms = { idleTimeoutMs, signal, maxRedirects, forbidPrivateAddresses, headers };
  return openUrl(url, { ...terms, ...(userAgent !== undefined && { userAgent }) });
}

/** The URL itself holds the file. @throws StorageError */
async function openData(url: URL): Promise<Incoming> {
  try {
    const blob = await (await fetch(url)).blob();
    const stream = Readable.from([Buffer.from(await blob.arrayBuffer())]);
    return { stream, sizeBytes: blob.size, contentType: blob.type };
  } catch (cause) {
    throw new StorageError("download_failed", "The data URL is not valid.", { cause });
  }
}
