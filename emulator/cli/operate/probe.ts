/** Asks for what is no secret: without a key, and as probes do without a look at the certificate. */
import http from "node:http";
import https from "node:https";
import { text } from "node:stream/consumers";

interface Probed {
  readonly status: number;
  readonly text: string;
}

/** Rejects as Node's requests do. */
export function probe(url: string, signal: AbortSignal): Promise<Probed> {
  const { promise, resolve, reject } = Promise.withResolvers<Probed>();
  const options = { signal, agent: false, rejectUnauthorized: false };
  const { get } = url.startsWith("https:") ? https : http;
  get(url, options, (answer) => {
    text(answer).then((body) => resolve({ status: answer.statusCode ?? 0, text: body }), reject);
  }).once("error", reject);
  return promise;
}
