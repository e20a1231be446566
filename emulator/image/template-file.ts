/** Writes the file with an image's template: the body of `POST /v1/templates`. */
import { readFile, writeFile } from "node:fs/promises";
import { failedImage, ImageError } from "./image-error.ts";

export interface TemplateFacts {
  /** Name of the template, for a new file. */
  readonly name: string;
  readonly imageName: string;
  readonly category: "NVIDIA" | "CPU";
  /** Ports, like `80/http`. */
  readonly ports: readonly string[];
}

/**
 * Writes a serverless template into a new file. In an existing file only the image is changed.
 *
 * @throws ImageError if the file is not a JSON object, or cannot be written
 */
export async function writeTemplate(file: string, facts: TemplateFacts): Promise<void> {
  const former = await readFile(file, "utf8").catch(() => undefined);
  const template =
    former === undefined
      ? { ...facts, isServerless: true, env: {} }
      : { ...parsed(former, file), imageName: facts.imageName };
  await writeFile(file, `${JSON.stringify(template, undefined, 2)}\n`).catch((error: unknown) => {
    throw failedImage("the template cannot be written", error);
  });
}

function parsed(text: string, file: string): object {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Reported below.
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw new ImageError(
    `${file} exists and is not a JSON object; the image is built, but its template was not written. ` +
      "Remove the file, or name another with --template-out",
  );
}
