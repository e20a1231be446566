/** A job to paste elsewhere: as a curl line, a program, a test. It never contains a key. */
import { type RawNode, writeRawJson } from "../../json/raw-json.ts";

export interface JobToCopy {
  readonly endpointId: string;
  readonly input: RawNode;
  /** Undefined if the job did not complete. */
  readonly output: RawNode | undefined;
  /** The address of the service, with a slash at its end. */
  readonly base: string;
}

export const FORMS = {
  curl: asCurl,
  TypeScript: asTypeScript,
  "vitest case": asTest,
} as const;

export type Form = keyof typeof FORMS;

function asCurl({ base, endpointId, input }: JobToCopy): string {
  const body = `{"input":${writeRawJson(input)}}`;
  const url = `${base}v2/${encodeURIComponent(endpointId)}/runsync`;
  return `curl -s ${quoted(url)} -H "Authorization: Bearer $SV_API_KEY" -d ${quoted(body)}`;
}

function asTypeScript({ base, endpointId, input }: JobToCopy): string {
  const baseUrl = JSON.stringify(base.replace(/\/$/u, ""));
  return `import { createClient } from "sv-runtime/client";

// The client reads the key from SV_API_KEY.
await using client = createClient({ baseUrl: ${baseUrl} });
const job = await client.endpoint(${JSON.stringify(endpointId)}).runSync(${literal(input)});
console.log(job.output);
`;
}

function asTest({ endpointId, input, output }: JobToCopy): string {
  const name = JSON.stringify(`${endpointId} answers as it did`);
  const expected =
    output === undefined
      ? "  expect(output).toBeDefined();"
      : `  expect(output).toEqual(${literal(output, 1)});`;
  return `import { expect, test } from "vitest";
import { runHandler } from "sv-runtime/testing";
import handler from "./handler.ts";

test(${name}, async () => {
  const { output } = await runHandler(handler, ${literal(input, 1)});
${expected}
});
`;
}

/** JSON is a TypeScript expression. */
function literal(node: RawNode, depth = 0): string {
  return writeRawJson(node, 2, depth);
}

/** Quoted for a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
