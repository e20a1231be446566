/** The end of any URL or key becomes a plain file name. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { anyCharacter } from "../../../../any-character.ts";
import { fileNameOf } from "../../../../../runtime/storage/download/file-name.ts";

test.each([
  ["/a/b/cat.png", "cat.png"],
  ["/a/b/", "b"],
  ["/", "download"],
  ["", "download"],
  ["..", "download"],
  ["/x/%2e%2e%2fetc%2fpasswd", "_etc_passwd"],
  ["/cat%20one.png", "cat one.png"],
  ["/100%", "100_"],
  ["/.bashrc", "bashrc"],
  ["/a:b*c?d", "a_b_c_d"],
  ["/日本.tar.gz", "日本.tar.gz"],
  [`/${"long".repeat(40)}.safetensors`, `${"long".repeat(12)}.safetensors`],
])("%s becomes %s", (path, name) => {
  expect(fileNameOf(path)).toBe(name);
});

test("a name is never a path to another directory, nor longer than a file system allows", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: anyCharacter }), fc.webPath()), (path) => {
      const name = fileNameOf(path);
      expect(name).not.toMatch(/[/\\\p{Cc}]/u);
      expect(name).not.toMatch(/^[. -]/);
      expect(name).not.toBe("");
      expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
    }),
  );
});
