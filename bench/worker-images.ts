/**
 * Makes the measured images with the built `sv-emulate`, on a Docker engine of the benchmark's own or the one that
 * SV_TEST_DOCKER_HOST names.
 */
import { execFile } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { nodeImage } from "../test/setup/docker-node-image.ts";
import { dockerAt, startOwnDocker, type TestDocker } from "../test/setup/docker.ts";
import { handlerFile } from "./emulator-process.ts";

const program = fileURLToPath(new URL("../dist/emulator/cli/sv-emulate.js", import.meta.url));

export interface WorkerImages extends AsyncDisposable {
  readonly docker: TestDocker;
  /** Base image with Node and a program `true`. */
  readonly beneath: string;
  /** Image of the handler, on `sv-base`. */
  readonly worker: string;
  /** Bytes of the handler's file. */
  readonly sourceBytes: number;
  sizeBytes(image: string): Promise<number>;
}

/**
 * @param handler of `bench/handlers/`
 * @param folder a new one
 */
export async function buildWorkerImages(handler: string, folder: string): Promise<WorkerImages> {
  const given = process.env["SV_TEST_DOCKER_HOST"];
  const docker = given === undefined ? await startOwnDocker() : dockerAt(given);
  try {
    const beneath = await nodeImage(docker);
    const worker = `sv-bench/${handler}:${process.pid}`;
    const source = path.join(folder, "handler.ts");
    fs.copyFileSync(handlerFile(handler), source);
    const images = ["--base-image", beneath, "--node-image", beneath];
    await promisify(execFile)(
      process.execPath,
      [program, "build", folder, "--tag", worker, ...images],
      {
        env: { ...process.env, DOCKER_HOST: docker.host },
      },
    );
    return {
      docker,
      beneath,
      worker,
      sourceBytes: fs.statSync(source).size,
      sizeBytes: async (image) =>
        Number(await docker.ask("image", "inspect", "-f", "{{.Size}}", image)),
      async [Symbol.asyncDispose]() {
        await docker.cli(["rmi", "-f", worker]);
        await docker[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await docker[Symbol.asyncDispose]();
    throw error;
  }
}
