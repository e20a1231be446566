/** Requests signed by the SDK's signer, as they are sent. */
import { Sha256 } from "@aws-crypto/sha256-js";
import { SignatureV4 } from "@smithy/signature-v4";
import { type RawRequest, rawRequest } from "../../../emulator/objects/signature/raw-request.ts";
import { uriEncode } from "../../../emulator/objects/signature/uri-encoding.ts";

export const CREDENTIALS = { accessKeyId: "SVID", secretAccessKey: "a secret/+=" };
export const NOW = Date.UTC(2026, 0, 31, 23, 59, 59);
export const HOST = "127.0.0.1:7081";

const signer = new SignatureV4({
  credentials: CREDENTIALS,
  region: "eu-central-1",
  service: "s3",
  sha256: Sha256,
  uriEscapePath: false,
});

/** A request before it is signed. */
export interface Wish {
  readonly method: string;
  readonly key: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
}

export const WISH: Wish = {
  method: "PUT",
  key: "a b/ü+&?#.txt",
  query: { "list-type": "2", prefix: "a/b c" },
  headers: { "x-amz-meta-a": "b", "content-type": "text/plain" },
};

function unsigned({ method, key, query, headers }: Wish) {
  const path = `/bucket/${key.split("/").map(uriEncode).join("/")}`;
  return {
    method,
    protocol: "http:",
    hostname: "127.0.0.1",
    path,
    query: { ...query },
    headers: { host: HOST, "x-amz-content-sha256": "UNSIGNED-PAYLOAD", ...headers },
  };
}

export interface Signed {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
}

/** The request as it is sent. */
export function sent({ method, path, query, headers }: Signed): RawRequest {
  const pairs = Object.entries(query).map(
    ([name, value]) => `${uriEncode(name)}=${uriEncode(value)}`,
  );
  const target = pairs.length === 0 ? path : `${path}?${pairs.join("&")}`;
  return rawRequest(method, target, Object.entries(headers).flat());
}

export async function signed(wish: Wish, at = NOW): Promise<Signed> {
  return (await signer.sign(unsigned(wish), { signingDate: new Date(at) })) as Signed;
}

/** Signs a request for a path that is already encoded. */
export async function signedPath(path: string): Promise<Signed> {
  const request = { ...unsigned({ ...WISH, query: {} }), path };
  return (await signer.sign(request, { signingDate: new Date(NOW) })) as Signed;
}

export async function presigned(wish: Wish, expiresIn: number, at = NOW): Promise<Signed> {
  const options = { signingDate: new Date(at), expiresIn };
  const { "x-amz-content-sha256": _, ...headers } = unsigned(wish).headers;
  // Without a digest the library would sign that of an empty body.
  const request = { ...unsigned(wish), headers, body: new ReadableStream() };
  return (await signer.presign(request, options)) as Signed;
}
