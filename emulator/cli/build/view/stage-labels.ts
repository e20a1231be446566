/** The sentences about the stages of a build. */
import type { BuildStage, StageFacts } from "../../../image/build-images.ts";
import type { BuildProgress } from "../../../image/engine/build-progress.ts";
import { seconds, size } from "./quantities.ts";

type Bytes = Extract<BuildProgress, { readonly kind: "bytes" }>;

export const TRANSFERS: Readonly<Record<Bytes["what"], string>> = {
  context: "files sent to the engine",
  pull: "layers fetched",
  push: "layers pushed",
};

const DONE: Readonly<Record<BuildStage, string>> = {
  base: "built",
  image: "built",
  push: "pushed",
};

export function endSentence(stage: BuildStage, { name, tookMs }: StageFacts): string {
  const how = tookMs === undefined ? "is there" : `${DONE[stage]} in ${seconds(tookMs)}`;
  return `${stage} ${name} ${how}`;
}

const HEADINGS = ["image", "size", "added", "time"];

/** A table of the images with their sizes, and the bytes that each adds to its base. */
export function summary(images: readonly StageFacts[]): string {
  const rows = images.map(({ name, sizeBytes, addedBytes, tookMs }) => [
    name,
    size(sizeBytes),
    addedBytes === undefined ? "–" : size(addedBytes),
    tookMs === undefined ? "–" : seconds(tookMs),
  ]);
  const table = [HEADINGS, ...rows];
  const widths = HEADINGS.map((_, at) => Math.max(...table.map((row) => row[at]?.length ?? 0)));
  const lines = table.map((row, index) => {
    const cells = row.map((cell, at) => {
      const width = widths[at] ?? 0;
      return at === 0 ? cell.padEnd(width) : cell.padStart(width);
    });
    const { beneath, addedBytes } = images[index - 1] ?? {};
    return [...cells, ...(addedBytes === undefined ? [] : [`on ${beneath}`])].join("  ");
  });
  return `${lines.join("\n")}\n`;
}
