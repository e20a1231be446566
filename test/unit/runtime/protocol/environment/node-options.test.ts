/** Options in NODE_OPTIONS that several processes share, and those that they cannot share. */
import { expect, test } from "vitest";
import {
  forOwnPrograms,
  preloadHint,
  sharedPort,
  withoutDebugger,
} from "../../../../../runtime/protocol/environment/node-options.ts";

test.each([
  ["--inspect", ""],
  ["--inspect=9229 --max-old-space-size=4096", "--max-old-space-size=4096"],
  ["--inspect-brk=127.0.0.1:9229", ""],
  ["--inspect-wait --inspect-port=0 --debug-port=1", ""],
  ["--inspect-port 9229 --no-warnings", "--no-warnings"],
  ["--inspect-publish-uid=http", "--inspect-publish-uid=http"],
  ['--require "/a b/m.cjs" --inspect', '--require "/a b/m.cjs"'],
])("of %s, code of the user gets %j", (options, left) => {
  expect(withoutDebugger(options)).toBe(left);
});

test.each([
  ["--require ./a.cjs -r ./b.cjs --import ./c.mjs", ""],
  ["--require=./a.cjs --enable-source-maps", "--enable-source-maps"],
  ['--import "data:text/javascript,console.log(\\"a b\\")" --no-warnings', "--no-warnings"],
  ["--experimental-loader ./l.mjs --loader=./l.mjs --use-system-ca", "--use-system-ca"],
  ["--import-something-else=1", "--import-something-else=1"],
  ["--inspect-brk --title 'x'", "--title 'x'"],
  ["", ""],
])("of %s, our own programs get %j", (options, left) => {
  expect(forOwnPrograms(options)).toBe(left);
});

test("only a taken port is explained by code that NODE_OPTIONS loads", () => {
  const taken = Object.assign(new Error("listen EADDRINUSE :::9464"), { code: "EADDRINUSE" });
  expect(sharedPort(taken, "--require /m.cjs --no-warnings")).toBe(
    "listen EADDRINUSE :::9464: this process goes on without it. NODE_OPTIONS (--require /m.cjs) is loaded in it, too.",
  );
  expect(sharedPort(taken, "--no-warnings")).toBeUndefined();
  expect(sharedPort(new Error("other"), "--require /m.cjs")).toBeUndefined();
  expect(preloadHint("--inspect")).toBe("");
});
