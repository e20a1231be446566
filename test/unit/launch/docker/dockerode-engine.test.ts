/** The adapter to the engine, where that goes away in the midst of an answer. */
import { once } from "node:events";
import http from "node:http";
import path from "node:path";
import { expect, it } from "vitest";
import { createDockerodeEngine } from "../../../../emulator/launch/docker/dockerode-engine.ts";
import { temporaryDirectory } from "../../../setup/temporary-directory.ts";

it("the end of a container is not waited for when its engine was killed", async () => {
  using folder = temporaryDirectory();
  const socket = path.join(folder.path, "engine.sock");
  const asked = Promise.withResolvers<void>();
  const server = http.createServer(({ url = "" }, response) => {
    // The events go on for as long as the engine lives.
    if (/\/(?:events|wait)/u.test(url)) {
      response.writeHead(200).flushHeaders();
      return;
    }
    const isInspected = url.includes("/containers/c/json");
    response.setHeader("content-type", "application/json").statusCode = isInspected ? 200 : 201;
    response.end(JSON.stringify(isInspected ? { State: { Running: true } } : { Id: "c" }));
    if (isInspected) asked.resolve();
  });
  await once(server.listen(socket), "listening");
  const container = await createDockerodeEngine(`unix://${socket}`).create({});
  const ended = Promise.allSettled([container.end()]);
  await asked.promise;
  server.closeAllConnections();
  const [end] = await ended;
  expect(end).toMatchObject({ reason: { name: "EngineError", status: undefined } });
  server.close();
});
