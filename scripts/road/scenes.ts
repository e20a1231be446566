/** The requests that `npm run road` follows, and the service that answers them. */
import { request } from "undici";
import { z } from "zod";
import type { Emulator } from "../../emulator/index.ts";

const API_KEY = "road-key";
const IMAGE_NAME = "example/road:1";

const idShape = z.object({ id: z.string() });

/** A running service, and the id of a template that is not deleted. */
interface Stage {
  readonly service: Emulator;
  readonly templateId: string;
}

/** Resolves when the request is answered. `turn` differs from call to call, so that names are unique. */
type Scene = (stage: Stage, turn: number) => Promise<unknown>;

export const scenes: ReadonlyMap<string, Scene> = new Map<string, Scene>([
  ["runsync", (stage) => ask(stage, "/v2/echo/runsync", { input: {} })],
  ["run", (stage) => ask(stage, "/v2/echo/run", { input: {} })],
  ["stream", readStream],
  ["unknown-job", (stage) => ask(stage, "/v2/echo/status/unknown")],
  ["list-endpoints", (stage) => ask(stage, "/v1/endpoints")],
  ["create-endpoint", createEndpoint],
  ["create-template", createTemplate],
  ["save-template", saveTemplate],
]);

/** Starts a service that stores in SQLite and runs handlers in this process. */
export async function setStage(dataDir: string): Promise<Stage> {
  const { startEmulator } = await import("../../emulator/index.ts");
  const service = await startEmulator({
    port: 0,
    apiKey: API_KEY,
    dataDir,
    s3: false,
    endpoints: {
      echo: { handler: (job) => job.input },
      chunks: { handler: yieldOnce },
    },
  });
  const stage = { service, templateId: "" };
  return { ...stage, templateId: idShape.parse(await createTemplate(stage, 0)).id };
}

async function* yieldOnce(): AsyncGenerator<string> {
  yield "chunk";
}

async function readStream(stage: Stage): Promise<unknown> {
  const { id } = idShape.parse(await ask(stage, "/v2/chunks/run", { input: {} }));
  return ask(stage, `/v2/chunks/stream/${id}`);
}

function createEndpoint(stage: Stage, turn: number): Promise<unknown> {
  const { templateId } = stage;
  return ask(stage, "/v1/endpoints", { name: `road-${turn}`, templateId, workersMax: 1 });
}

function createTemplate(stage: Stage, turn: number): Promise<unknown> {
  const template = { name: `road-${turn}`, imageName: IMAGE_NAME, isServerless: true };
  return ask(stage, "/v1/templates", template);
}

function saveTemplate(stage: Stage, turn: number): Promise<unknown> {
  const query =
    "mutation ($input: SaveTemplateInput!) { saveTemplate(input: $input) { id name imageName } }";
  const sizes = { containerDiskInGb: 5, volumeInGb: 0 };
  const texts = { name: `graphql-${turn}`, imageName: IMAGE_NAME, dockerArgs: "" };
  return ask(stage, "/live/graphql", {
    query,
    variables: { input: { ...texts, ...sizes, env: [] } },
  });
}

/** Sends a POST if there is a body. Throws an answer of 5xx, or one with errors of GraphQL. */
async function ask({ service }: Stage, path: string, body?: object): Promise<unknown> {
  const answer = await request(`${service.url}${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${API_KEY}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.body.text();
  const isExpected = answer.statusCode < 400 || path.endsWith("/unknown");
  if (!isExpected || text.includes('"errors"')) {
    throw new Error(`${path} was answered with ${answer.statusCode}: ${text}`);
  }
  return JSON.parse(text);
}
