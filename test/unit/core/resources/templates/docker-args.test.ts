/** The text for entry point and command: split like a shell does, kept as written, generated if there was none. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { argsOf, splitArgs } from "../../../../../emulator/core/resources/templates/docker-args.ts";
import { anyCharacter } from "../../../../any-character.ts";

describe("a typed command", () => {
  it.each([
    ["", []],
    ["  ", []],
    ["python -u handler.py", ["python", "-u", "handler.py"]],
    [" a\t b\n", ["a", "b"]],
    [`bash -c 'echo "$HOME" && ls'`, ["bash", "-c", 'echo "$HOME" && ls']],
    [`say "a \\"b\\" \\$c \\d"`, ["say", 'a "b" $c \\d']],
    [`a\\ b c''d "" 'e'"f"g`, ["a b", "cd", "", "efg"]],
    ["a \\\n b", ["a", "b"]],
    ["a && b | c > d", ["a", "&&", "b", "|", "c", ">", "d"]],
    ["{not json} x", ["{not", "json}", "x"]],
    ["# no comment", ["#", "no", "comment"]],
  ])("is split into words: %j has %j", (text, cmd) => {
    expect(splitArgs(text)).toEqual({ entrypoint: [], cmd });
  });

  it.each([
    ["echo 'a b", ["echo", "'a", "b"]],
    [`echo "a\\" b`, ["echo", `"a\\"`, "b"]],
    ["echo \\", ["echo", "\\"]],
  ])("is split at white space alone without a closing quote: %j", (text, cmd) => {
    expect(splitArgs(text)).toEqual({ entrypoint: [], cmd });
  });
});

describe("a JSON object", () => {
  it.each([
    ['{"entrypoint":["sh","-c"],"cmd":["ls"]}', { entrypoint: ["sh", "-c"], cmd: ["ls"] }],
    [' {"entrypoint":["sh"]} ', { entrypoint: ["sh"], cmd: [] }],
    ['{"cmd":["a b"]}', { entrypoint: [], cmd: ["a b"] }],
    ["{}", { entrypoint: [], cmd: [] }],
    ['{"cmd":["ls"],"user":"me"}', { entrypoint: [], cmd: ["ls"] }],
  ])("has entry point and command: %s", (text, program) => {
    expect(splitArgs(text)).toEqual(program);
  });

  it.each(['{"cmd":"ls"}', '{"cmd":[],"entrypoint":[1]}'])(
    "is a command if its members are no lists of texts: %s",
    (text) => {
      expect(splitArgs(text)).toEqual({ entrypoint: [], cmd: [text.replaceAll('"', "")] });
    },
  );
});

describe("the shown text", () => {
  const lists = { dockerEntrypoint: [], dockerStartCmd: ["python", "-c", "print('a b')"] };

  it("is the written one, while its meaning is unchanged", () => {
    const dockerArgs = `python  -c "print('a b')"`;
    expect(argsOf({ ...lists, dockerArgs })).toBe(dockerArgs);
    expect(argsOf({ ...lists, dockerArgs, dockerStartCmd: ["ls"] })).toBe("ls");
    expect(argsOf({ ...lists, dockerArgs: "", dockerStartCmd: [] })).toBe("");
  });

  it("is generated from the lists without a written one, as JSON if there is an entry point", () => {
    expect(argsOf(lists)).toBe(String.raw`python -c 'print('\''a b'\'')'`);
    expect(argsOf({ dockerEntrypoint: ["sh"], dockerStartCmd: [] })).toBe(
      '{"entrypoint":["sh"],"cmd":[]}',
    );
    expect(argsOf({ dockerEntrypoint: [], dockerStartCmd: ["{}"] })).toBe("'{}'");
  });

  const words = fc.array(fc.string({ unit: anyCharacter, maxLength: 12 }), { maxLength: 4 });

  it("has the meaning of the lists, for any words", () => {
    fc.assert(
      fc.property(words, words, (dockerEntrypoint, dockerStartCmd) => {
        const text = argsOf({ dockerEntrypoint, dockerStartCmd });
        expect(splitArgs(text)).toEqual({ entrypoint: dockerEntrypoint, cmd: dockerStartCmd });
      }),
    );
  });
});
