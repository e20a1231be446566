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
    ["letters encoded without need", "/b/a-b", "/b/a%2Db"],
    ["lower-case hex", "/b/%C3%BC", "/b/%c3%bc"],
    ["letters not encoded against the rules", "/b/a%21%28b%29", "/b/a!(b)"],
    ["a path signed as sent", "/b/a!(b)", "/b/a!(b)"],
    ["an encoded slash, kept", "/b/a%2Fb", "/b/a%2Fb"],
    ["dots, which are ordinary names", "/b/../c/./d", "/b/../c/./d"],
    ["empty parts, kept", "/b//a//", "/b//a//"],
  ])("are accepted: %s", async (_what, canonical, path) => {
    expect(verify(await reencoded(canonical, path), holderLookup(CREDENTIALS), NOW)).toBeDefined();
  });

  it.each([
    ["an encoded slash for a slash", "/b/a/b", "/b/a%2Fb"],
    ["resolved dots", "/c", "/b/../c"],
    ["dropped empty parts", "/b/a", "/b//a"],
    ["a plus for a space", "/b/a%20b", "/b/a+b"],
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
