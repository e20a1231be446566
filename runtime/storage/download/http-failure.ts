/** Describes why a download over HTTP failed. */
import { StorageError } from "../storage-error.ts";

/** Maximum characters of a server's message about a failure. */
const MAX_DETAIL = 300;

/** The server answered with something other than a file, or not at all. */
export class HttpFailure extends StorageError {
  /** Undefined when there was no answer. */
  readonly status: number | undefined;
  /** The error code of an S3 service's answer, or of the system. */
  readonly reason: string;
  /** The region that an S3 service wants requests to be signed for, if it names one. */
  readonly region: string | undefined;
  /** The message of the server or of the system. */
  readonly said: string;

  /**
   * @param text the beginning of the answer, or the message of the system's error
   * @param more code of that error, or the region that the answer's headers name
   */
  constructor(
    url: URL,
    status: number | undefined,
    text: string,
    {
      code,
      region,
    }: { readonly code?: string | undefined; readonly region?: string | undefined } = {},
  ) {
    const said = /<Message>([^<]*)<\/Message>/.exec(text)?.[1] ?? plain(text);
    const what = [status === undefined ? "no answer" : `it answered ${status}`, said];
    const why = what.filter((part) => part !== "").join(": ");
    super("download_failed", `${shownUrl(url)} cannot be fetched: ${why}.`);
    this.status = status;
    this.reason = /<Code>([^<]*)<\/Code>/.exec(text)?.[1] ?? code ?? "Error";
    this.region = region ?? /<Region>([^<]*)<\/Region>/.exec(text)?.[1];
    this.said = said;
  }
}

/** A URL without secrets: without credentials, and without the signature of a presigned one. */
export function shownUrl(url: URL): string {
  return `${url.origin}${url.pathname}`;
}

/** The message on one line, cut. A page of HTML gives no message. */
function plain(text: string): string {
  if (/^\s*</.test(text)) return "";
  const line = text.replaceAll(/\s+/g, " ").trim().replace(/\.$/, "");
  return line.length <= MAX_DETAIL ? line : `${line.slice(0, MAX_DETAIL)}…`;
}
