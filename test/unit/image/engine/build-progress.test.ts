/** The progress of a build or a push, from the engine's messages. */
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { expect, test } from "vitest";
import { readEngineMessage } from "../../../../emulator/docker/engine-message.ts";
import {
  type BuildProgress,
  EngineOutput,
} from "../../../../emulator/image/engine/build-progress.ts";
import { addedBytes } from "../../../../emulator/image/engine/image-facts.ts";

function follow(kind: "pull" | "push", messages: readonly object[]) {
  const told: BuildProgress[] = [];
  const output = new EngineOutput(kind, (progress) => told.push(progress));
  for (const message of messages) output.add(readEngineMessage(message));
  return { told, output };
}

const moving = (status: string, id: string, current: number, total: number) => ({
  status,
  id,
  progressDetail: { current, total },
});

test("the progress has steps and their output", () => {
  const { told } = follow("pull", [
    { stream: "Step 3/9 : COPY a /\n" },
    { stream: " ---> 4111867b906b\n" },
    { stream: "\n" },
    { stream: "one\r\ntwo" },
  ]);
  expect(told).toEqual([
    { kind: "step", at: 3, of: 9, what: "COPY a /" },
    { kind: "output", line: " ---> 4111867b906b" },
    { kind: "output", line: "one" },
    { kind: "output", line: "two" },
  ]);
});

test("the sizes of an image's layers are added up, from zero for each step", () => {
  const pull = [
    { status: "Pulling from library/node", id: "24" },
    { status: "Pulling fs layer", id: "a" },
    moving("Downloading", "a", 10, 100),
    moving("Downloading", "b", 5, 50),
    { status: "Download complete", id: "b" },
    { status: "Verifying Checksum", id: "4111867b906b" },
    { stream: "Step 2/2 : FROM other\n" },
    moving("Downloading", "c", 1, 2),
  ];
  const bytes = (doneBytes: number, totalBytes: number) => ({
    kind: "bytes",
    what: "pull",
    doneBytes,
    totalBytes,
  });
  expect(follow("pull", pull).told).toEqual([
    { kind: "note", line: "24: Pulling from library/node" },
    bytes(10, 100),
    bytes(15, 150),
    bytes(60, 150),
    { kind: "step", at: 2, of: 2, what: "FROM other" },
    bytes(1, 2),
  ]);
});

test("a push can send more bytes than announced", () => {
  const { told } = follow("push", [
    { status: "Preparing", id: "a" },
    moving("Pushing", "a", 512, 400),
    { status: "Layer already exists", id: "b" },
    { status: "latest: digest: sha256:00 size: 1" },
  ]);
  const bytes = { kind: "bytes", what: "push", doneBytes: 512, totalBytes: 512 };
  expect(told).toEqual([bytes, bytes, { kind: "note", line: "latest: digest: sha256:00 size: 1" }]);
});

test("the images of stages are the last ones before the next stage begins", () => {
  const { output } = follow("pull", [
    { stream: "Step 1/5 : ARG A\n" },
    { stream: "Step 2/5 : FROM a AS one\n" },
    { stream: " ---> 111111111111\n" },
    { stream: "Step 3/5 : RUN a\n" },
    { stream: " ---> Running in 333333333333\n" },
    { stream: " ---> 222222222222\n" },
    { stream: "Step 4/5 : FROM b\n" },
    { stream: " ---> 444444444444\n" },
    { stream: "Step 5/5 : COPY --from=one a a\n" },
  ]);
  expect(output.stages).toEqual(["222222222222"]);
});

/** A message of BuildKit, from its parts by field number: a text, a number or a message. */
function trace(parts: Parts): { readonly id: string; readonly aux: string } {
  return { id: "moby.buildkit.trace", aux: Buffer.from(encoded(parts)).toString("base64") };
}
interface Parts {
  readonly [field: string]: string | number | Parts;
}
function encoded(parts: Parts): Uint8Array {
  const writer = new BinaryWriter();
  for (const [field, part] of Object.entries(parts)) {
    if (typeof part === "number") writer.tag(Number(field), WireType.Varint).int64(part);
    else {
      const bytes = typeof part === "string" ? Buffer.from(part) : encoded(part);
      writer.tag(Number(field), WireType.LengthDelimited).bytes(bytes);
    }
  }
  return writer.finish();
}

test("BuildKit's messages have steps, output and the layers that are fetched", () => {
  const vertex = { 1: "sha256:0", 3: "[packages 2/4] RUN npm ci", 5: { 1: 1 } };
  const status = { 1: "sha256:1", 3: "downloading", 4: 10, 5: 40 };
  const { told } = follow("pull", [
    trace({ 1: vertex }),
    trace({ 1: { ...vertex, 6: { 1: 2 } } }),
    trace({ 1: { ...vertex, 3: "[2/4] COPY a /", 6: { 1: 2 } } }),
    trace({ 3: { 1: "sha256:0", 4: "one\ntwo\n" } }),
    trace({ 2: status }),
    trace({ 2: { ...status, 3: "extracting", 4: 40 } }),
  ]);
  expect(told).toEqual([
    { kind: "step", at: 2, of: 4, what: "RUN npm ci" },
    { kind: "step", at: 2, of: 4, what: "COPY a /" },
    { kind: "output", line: "one" },
    { kind: "output", line: "two" },
    { kind: "bytes", what: "pull", doneBytes: 10, totalBytes: 40 },
  ]);
});

test("the id of a built image is known from either builder", () => {
  const { output } = follow("pull", [{ id: "moby.image.id", aux: { ID: "sha256:1" } }]);
  expect(output.imageId).toBe("sha256:1");
  const classic = [{ aux: { ID: "sha256:2" } }, { stream: "Successfully built 333333333333\n" }];
  expect(follow("pull", classic).output.imageId).toBe("sha256:2");
  expect(follow("pull", classic.slice(1)).output.imageId).toBe("333333333333");
});

test("images with steps of an unfinished build are known", () => {
  const begun = [
    { stream: "Step 1/4 : FROM a AS one\n" },
    { stream: " ---> 111111111111\n" },
    { stream: "Step 2/4 : FROM b\n" },
    { stream: " ---> 222222222222\n" },
  ];
  expect(follow("pull", begun).output.leftovers).toEqual(["111111111111", "222222222222"]);
  const done = [...begun, { aux: { ID: "sha256:2" } }];
  expect(follow("pull", done).output.leftovers).toEqual(["111111111111"]);
});

test("the failure message of a step of ours is recognized in any colour", () => {
  const { output } = follow("pull", [{ stream: "\u001B[91msv-emulate: no glibc\n\u001B[0m" }]);
  expect(output.sentences).toEqual(["no glibc"]);
});

test("the progress keeps a failure with a bounded number of lines before it", () => {
  const lines = Array.from({ length: 10_000 }, (_, at) => ({ stream: `line ${at}\n` }));
  const { output } = follow("pull", [...lines, { error: "returned a non-zero code: 7\n" }]);
  expect(output.error).toBe("returned a non-zero code: 7");
  expect(output.lines).toHaveLength(1_000);
  expect(output.lines.at(-1)).toBe("line 9999");
});

test("the size that an image adds to its parent is shown only if it was built on the parent", () => {
  const image = (sizeBytes: number, ...layers: string[]) => ({
    ...{ id: "i", sizeBytes, layers },
    ...{ hasCuda: false, isServer: false },
  });
  expect(addedBytes(image(120, "a", "b"), image(100, "a"))).toBe(20);
  expect(addedBytes(image(120, "c", "b"), image(100, "a"))).toBeUndefined();
  expect(addedBytes(image(120, "a"), image(100, "a", "b"))).toBeUndefined();
  expect(addedBytes(image(120, "a"), undefined)).toBeUndefined();
});
