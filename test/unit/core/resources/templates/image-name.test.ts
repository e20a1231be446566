/** Valid image names, and messages about invalid ones. */
import { describe, expect, it } from "vitest";
import { imageNameProblem } from "../../../../../emulator/core/resources/templates/image-name.ts";

const DIGEST = "0123456789abcdef".repeat(4);

describe("the name of an image", () => {
  it.each([
    "busybox",
    "busybox:1.36",
    "team/app_one/b__c/d--e/f.g",
    "registry.example/team/app:1.0-Beta_2",
    "registry.example:5000/app",
    "Registry-1.Example/app",
    "localhost/app",
    "127.0.0.1:5000/app:1",
    "[::1]:5000/app:1",
    `app@sha256:${DIGEST}`,
    `registry.example/app:1@sha256:${DIGEST}`,
    `app@sha512+b64:${DIGEST}`,
    `sha256:${DIGEST}`,
    "a".repeat(255),
    `app:${"t".repeat(128)}`,
    "sv.local/Any thing",
  ])("may be %s", (name) => {
    expect(imageNameProblem(name)).toBeUndefined();
  });

  it.each([
    ["", "it is empty"],
    [" busybox", 'the character " " cannot stand in a name'],
    ["busy box", 'the character " " cannot stand in a name'],
    ["busybox:1\n", 'the character "\\n" cannot stand in a name'],
    ["../../containers/x", 'the part ".." must'],
    ["a?fromSrc=-", 'the character "?" cannot stand in a name'],
    ["grüße", 'the character "ü" cannot stand in a name'],
    ["https://registry.example/app", 'it begins with "https://", as an address does'],
    ["Team/App:1", "upper-case letters are allowed in hosts and tags only"],
    ["registry.example/Team/app", "upper-case letters are allowed in hosts and tags only"],
    ["-busybox", 'the part "-busybox" must'],
    ["team/-app", 'the part "-app" must'],
    ["team/app_", 'the part "app_" must'],
    ["team/a___b", 'the part "a___b" must'],
    ["team/a..b", 'the part "a..b" must'],
    ["team//app", "a part between slashes is empty"],
    ["/app", "a part between slashes is empty"],
    ["team/", "a part between slashes is empty"],
    ["app:", "the tag after the colon is empty"],
    ["app:-1", 'the tag "-1" must'],
    [`app:${"t".repeat(129)}`, "must have at most 128"],
    [":1", "only a tag or a digest"],
    ["my_registry:5000/app", 'the host "my_registry:5000" must'],
    ["registry.example:http/app", 'the host "registry.example:http" must'],
    ["-registry.example/app", 'the host "-registry.example" must'],
    ["app@sha256:12", "the digest must"],
    [`app@sha256:${DIGEST.toUpperCase()}`, "the digest must"],
    [`app@sha256:${DIGEST}ab`, "the digest must"],
    ["app@", "the digest must"],
    [`a@sha256:${DIGEST}@sha256:${DIGEST}`, "the digest must"],
    ["a".repeat(256), "has 256 characters before its tag; at most 255"],
  ])("is not %s", (name, problem) => {
    expect(imageNameProblem(name)).toContain(problem);
  });
});
