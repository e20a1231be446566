/** The live service's command line as a client: its calls, and the fields that it decodes. */
import { z } from "zod";
import { type ClientService, startClientService } from "./client-service.ts";
import type { Playing } from "./playing.ts";

/** @param version of the command line */
export function startCommandLine(version: string, playing: Playing): Promise<ClientService> {
  const headers = {
    "user-agent": `runpod-cli/${version} (linux; amd64)`,
    "content-type": "application/json",
    "accept-encoding": "gzip",
  };
  return startClientService(headers, playing);
}

export const id = z.string().min(1);

/** A REST value that Go decodes into that type: absent and null leave the variable unchanged. */
export const text = z.string().nullish();
export const int = z.int().nullish();
export const flag = z.boolean().nullish();
export const texts = z.array(z.string()).nullish();
export const env = z.record(z.string(), z.string()).nullish();

/** The GraphQL answer, which has every selected field. */
export const selectedText = z.string().nullable();
export const selectedInt = z.int().nullable();

/** Reads pages until there is no further one. */
export const pagination = z.looseObject({
  nextCursor: z.string().nullable(),
  hasNextPage: z.boolean(),
});

/** Creates a serverless template; returns its id. */
export async function createTemplate({ send }: ClientService, more: object = {}): Promise<string> {
  const body = { name: "worker", imageName: "example/a:1", isServerless: true, ...more };
  const reads = z.looseObject({ id });
  return (await send({ method: "POST", path: "/v1/templates", body, reads })).id;
}
