/** Links and renamed directories in a volume, with and without paths to open files. */
import fs from "node:fs";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { VolumeDirectory } from "../../../emulator/objects/disk/volume/volume-directory.ts";
import { temporaryTree } from "../../temporary-tree.ts";

async function volumeBeside(files: Readonly<Record<string, string>>, hasPaths: boolean) {
  const tree = await temporaryTree({ "outside/x": "outside", "volume/a/x": "inside", ...files });
  const volume = await VolumeDirectory.at(tree.path("volume"), hasPaths);
  const read = async (...names: string[]) => {
    const opened = await volume.openFile(names);
    return opened && text(opened.handle.createReadStream());
  };
  /** Replaces a directory, like a worker at any time. */
  const replace = () => {
    fs.renameSync(tree.path("volume/a"), tree.path("volume/moved"));
    fs.symlinkSync(tree.path("outside"), tree.path("volume/a"));
  };
  return { tree, volume, read, replace, [Symbol.asyncDispose]: tree[Symbol.asyncDispose] };
}

describe.each([true, false])("with paths to open files: %s", (hasPaths) => {
  it.runIf(!hasPaths || fs.existsSync("/proc/self/fd"))(
    "a link is followed to a file in the volume, never out of it, and never as a directory",
    async () => {
      await using stage = await volumeBeside({}, hasPaths);
      const { tree, read, volume } = stage;
      fs.symlinkSync("a/x", tree.path("volume/in"));
      fs.symlinkSync(tree.path("outside/x"), tree.path("volume/out"));
      fs.symlinkSync(tree.path("outside"), tree.path("volume/away"));
      expect(await read("a", "x")).toBe("inside");
      expect(await read("in")).toBe("inside");
      expect(await read("out")).toBeUndefined();
      expect(await read("away", "x")).toBeUndefined();
      expect(await volume.entries(["away"])).toEqual([]);
      await volume.remove(["away", "x"]);
      expect(fs.existsSync(tree.path("outside/x"))).toBe(true);
    },
  );

  it.runIf(!hasPaths || fs.existsSync("/proc/self/fd"))(
    "a move, a removal and a clearing affect only the named files",
    async () => {
      await using stage = await volumeBeside({ "volume/b/y": "y" }, hasPaths);
      const { volume, read } = stage;
      await volume.move(["a", "x"], ["c", "d", "x"]);
      expect([await read("a", "x"), await read("c", "d", "x")]).toEqual([undefined, "inside"]);
      await volume.remove(["c", "d", "x"]);
      await volume.clear(["b"]);
      expect([await volume.statFile(["c", "d", "x"]), await read("b", "y")]).toEqual([
        undefined,
        undefined,
      ]);
    },
  );
});

it.runIf(fs.existsSync("/proc/self/fd"))(
  "a file is written into its opened directory, which no rename can redirect",
  async () => {
    await using stage = await volumeBeside({}, true);
    const { tree, volume, replace } = stage;
    await volume.writeIn(["a"], "new", async (file) => {
      replace();
      await fs.promises.writeFile(file, "");
    });
    expect(fs.existsSync(tree.path("volume/moved/new"))).toBe(true);
    expect(fs.existsSync(tree.path("outside/new"))).toBe(false);
  },
);

describe("without such paths", () => {
  it("a write fails in a directory that was replaced by a link or another directory", async () => {
    await using stage = await volumeBeside({}, false);
    const { tree, volume, replace } = stage;
    await expect(volume.writeIn(["a"], "new", async () => replace())).rejects.toThrow(
      /ELOOP|ENOTDIR/,
    );
    fs.rmSync(tree.path("volume/a"));
    fs.mkdirSync(tree.path("volume/a/b"), { recursive: true });
    const inPlace = volume.writeIn(["a", "b"], "new", async () => {
      fs.renameSync(tree.path("volume/a"), tree.path("volume/old"));
      fs.mkdirSync(tree.path("volume/a/b"), { recursive: true });
    });
    await expect(inPlace).rejects.toThrow("the directory a/b of the volume was replaced meanwhile");
  });
});
