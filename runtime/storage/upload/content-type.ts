/** Guesses the content type of an object. */
import path from "node:path";
import { mimes } from "mrmime";
import type { UploadBody } from "../contract.ts";

/** By what a Blob says of itself, else by the ending of the key, else by whether it is text. */
export function contentTypeOf(key: string, body: UploadBody): string {
  if (body instanceof Blob && body.type !== "") return body.type;
  const isText = typeof body === "string";
  const type = typeOfEnding(key) ?? (isText ? "text/plain" : "application/octet-stream");
  // Browsers take text for something else than UTF-8 unless they are told.
  return isText && type.startsWith("text/") ? `${type}; charset=utf-8` : type;
}

function typeOfEnding(key: string): string | undefined {
  const ending = path.posix.extname(key).slice(1).toLowerCase();
  return Object.hasOwn(mimes, ending) ? mimes[ending] : undefined;
}
