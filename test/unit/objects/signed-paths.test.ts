/** Paths that clients encode differently from the rules of signatures. */
import { describe, expect, it } from "vitest";
import type { RawRequest } from "../../../emulator/objects/signature/raw-request.ts";
import { holderLookup } from "../../../emulator/objects/access-keys.ts";
import { verify } from "../../../emulator/objects/signature/verify.ts";
import { CREDENTIALS, NOW, sent, signedPath } from "./sdk-signer.ts";

describe("paths with another encoding", () => {
  /** Sends `path` with the signature of `canonical`. */
  async function reencoded(canonical: string, path: string): Promise<RawRequest> {
    return sent({ ...(await signedPath(canonical)), path, query: {} });
  }

  it.each([
    ["letters that need not be encoded are", "/b/a-b", "/b/a%2Db"],
    ["lower-case hex", "/b/%C3%BC", "/b/%c3%bc"],
    ["letters that must be encoded are not", "/b/a%21%28b%29", "/b/a!(b)"],
    ["signed as sent", "/b/a!(b)", "/b/a!(b)"],
    ["an encoded slash stays one", "/b/a%2Fb", "/b/a%2Fb"],
    ["dots are names like others", "/b/../c/./d", "/b/../c/./d"],
    ["empty parts stay", "/b//a//", "/b//a//"],
  ])("are accepted: %s", async (_what, canonical, path) => {
    expect(verify(await reencoded(canonical, path), holderLookup(CREDENTIALS), NOW)).toBeDefined();
  });

  it.each([
    ["a slash is not the same encoded", "/b/a/b", "/b/a%2Fb"],
    ["dots are not resolved", "/c", "/b/../c"],
    ["empty parts are not dropped", "/b/a", "/b//a"],
    ["a plus is no space", "/b/a%20b", "/b/a+b"],
  ])("are refused: %s", async (_what, canonical, path) => {
    const request = await reencoded(canonical, path);
    expect(() => verify(request, holderLookup(CREDENTIALS), NOW)).toThrow(
      expect.objectContaining({ code: "SignatureDoesNotMatch" }),
    );
  });

  it.each(["/b/%", "/b/%zz", "/b/%ff", "/b/%ed%a0%80"])("the path %s is invalid", async (path) => {
    const request = await reencoded("/b/a", path);
    expect(() => verify(request, holderLookup(CREDENTIALS), NOW)).toThrow(
      expect.objectContaining({ code: "InvalidURI" }),
    );
  });
});
