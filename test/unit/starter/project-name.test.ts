/** Valid project names, and suggestions for invalid ones. */
import { describe, expect, test } from "vitest";
import { endpointIdOf, fittingName, nameProblem } from "../../../emulator/starter/project-name.ts";

const taken = (name: string) => ["http", "zod"].includes(name);
const problem = (name: string) => nameProblem(name, taken);

test.each(["greeter", "my-model_2", "7b", "@me/greeter", "@my.team-1/zod", "a".repeat(63)])(
  "%s is a valid name",
  (name) => {
    expect(problem(name)).toBeUndefined();
  },
);

describe("an invalid name is refused with the nearest valid one", () => {
  test.each([
    ["", undefined],
    ["My App", "my-app"],
    ["../elsewhere", "elsewhere"],
    ["-x", "x"],
    ["a--b", "a-b"],
    ["a.b", "a-b"],
    ["@me/A", "me-a"],
    ["é", undefined],
    ["ключ", undefined],
    ["a".repeat(64), "a".repeat(63)],
    ["node_modules", "node-modules"],
    ["HTTP", undefined],
  ])("%j", (name, near) => {
    const hint =
      near === undefined ? /before it$/u : new RegExp(`before it; ${near} would do$`, "u");
    expect(problem(name)).toMatch(hint);
    expect(problem(name)).toContain(`${JSON.stringify(name)} cannot be a project's name`);
    if (near !== undefined) expect(problem(near)).toBeUndefined();
  });

  test("a package's name that is too long for npm has no suggestion", () => {
    expect(problem(`@${"s".repeat(200)}/${"a".repeat(20)}`)).toContain("cannot be");
  });
});

test("a name with another meaning for npm or Node is refused", () => {
  expect(problem("zod")).toContain(
    "because a module of Node or a package of the project has it; my-zod would do",
  );
  expect(problem("http")).toContain("my-http would do");
});

test("the endpoint has the name without its scope", () => {
  expect(endpointIdOf("@me/greeter")).toBe("greeter");
  expect(endpointIdOf("greeter")).toBe("greeter");
});

test.each([
  ["My App (2)", "my-app-2"],
  ["node_modules", "node-modules"],
  ["…", undefined],
])("a project in the directory %j is named %j", (directory, name) => {
  expect(fittingName(directory)).toBe(name);
});
