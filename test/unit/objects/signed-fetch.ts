/** Signed requests that S3 clients do not make. */
import { Sha256 } from "@aws-crypto/sha256-js";
import { SignatureV4 } from "@smithy/signature-v4";
import { uriEncode } from "../../../emulator/objects/signature/uri-encoding.ts";
import { CREDENTIALS, type S3Harness } from "./s3-harness.ts";

export interface RawAsk {
  readonly method?: string;
  /** Path with bucket and key, not encoded, with a slash at its beginning. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array<ArrayBuffer> | string;
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The code in the XML of an error. */
  readonly code: string | undefined;
}

const signer = new SignatureV4({
  credentials: CREDENTIALS,
  region: "us-east-1",
  service: "s3",
  sha256: Sha256,
  uriEscapePath: false,
});

/** The signed request with the store's URL. */
export async function signedRequest(s3: S3Harness, ask: RawAsk): Promise<Request> {
  const { method = "GET", query = {}, headers = {}, body } = ask;
  const { hostname, port, host } = new URL(s3.url);
  const path = ask.path.split("/").map(uriEncode).join("/");
  const signed = await signer.sign({
    method,
    protocol: "http:",
    hostname,
    port: Number(port),
    path,
    query: { ...query },
    headers: { host, "x-amz-content-sha256": "UNSIGNED-PAYLOAD", ...headers },
  });
  const pairs = Object.entries(query).map((pair) => pair.map(uriEncode).join("="));
  const target = pairs.length === 0 ? path : `${path}?${pairs.join("&")}`;
  const { host: _, ...sent } = signed.headers;
  return new Request(`${s3.url}${target}`, {
    method,
    headers: sent,
    ...(body !== undefined && { body }),
  });
}

export async function signedFetch(s3: S3Harness, ask: RawAsk): Promise<RawAnswer> {
  const response = await fetch(await signedRequest(s3, ask));
  const text = await response.text();
  const [, code] = /<Code>(\w+)<\/Code>/.exec(text) ?? [];
  return { status: response.status, headers: response.headers, text, code };
}
