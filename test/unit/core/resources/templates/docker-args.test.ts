/** The one text for entry point and command: split as a shell does, kept as it was written, written where there was none. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { argsOf, splitArgs } from "../../../../../emulator/core/resources/templates/docker-args.ts";
import { anyCharacter } from "../../../../any-character.ts";

describe("a command as it is typed", () => {
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
  ])("%j has the words %j", (text, cmd) => {
    expect(splitArgs(text)).toEqual({ entrypoint: [], cmd });
  });

  it.each([
    ["echo 'a b", ["echo", "'a", "b"]],
    [`echo "a\\" b`, ["echo", `"a\\"`, "b"]],
    ["echo \\", ["echo", "\\"]],
  ])("%j, in which something is not closed, is split at white space alone", (text, cmd) => {
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
  ])("%s says both", (text, program) => {
    expect(splitArgs(text)).toEqual(program);
  });

  it.each(['{"cmd":"ls"}', '{"cmd":[],"entrypoint":[1]}'])(
    "%s is a command, as its members are no lists of texts",
    (text) => {
      expect(splitArgs(text)).toEqual({ entrypoint: [], cmd: [text.replaceAll('"', "")] });
    },
  );
});

describe("the text that is shown", () => {
  const lists = { dockerEntrypoint: [], dockerStartCmd: ["python", "-c", "print('a b')"] };

  it("is the one that was written, while it says the same", () => {
    const dockerArgs = `python  -c "print('a b')"`;
    expect(argsOf({ ...lists, dockerArgs })).toBe(dockerArgs);
    expect(argsOf({ ...lists, dockerArgs, dockerStartCmd: ["ls"] })).toBe("ls");
    expect(argsOf({ ...lists, dockerArgs: "", dockerStartCmd: [] })).toBe("");
  });

  it("is made of the lists where nobody wrote one, as JSON if there is an entry point", () => {
    expect(argsOf(lists)).toBe(String.raw`python -c 'print('\''a b'\'')'`);
    expect(argsOf({ dockerEntrypoint: ["sh"], dockerStartCmd: [] })).toBe(
      '{"entrypoint":["sh"],"cmd":[]}',
    );
    expect(argsOf({ dockerEntrypoint: [], dockerStartCmd: ["{}"] })).toBe("'{}'");
  });

  const words = fc.array(fc.string({ unit: anyCharacter, maxLength: 12 }), { maxLength: 4 });

  it("says what the lists say, whatever words they have", () => {
    fc.assert(
      fc.property(words, words, (dockerEntrypoint, dockerStartCmd) => {
        const text = argsOf({ dockerEntrypoint, dockerStartCmd });
        expect(splitArgs(text)).toEqual({ entrypoint: dockerEntrypoint, cmd: dockerStartCmd });
      }),
    );
  });
});
