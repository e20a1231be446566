/** Endpoints of this machine that can be served together. */
import { expect, test } from "vitest";
import { localEndpoints } from "../../../emulator/handlers/local-endpoint.ts";

const handlers = [{ id: "file", path: "/file.ts" }];
const images = [{ id: "image", template: "abcdefghij" }];

test("endpoints of handler files, of images and of functions are served together", () => {
  const local = localEndpoints({ handlers, images, endpoints: { function: {} } });
  expect(local.map(({ id }) => id)).toEqual(["file", "image", "function"]);
});

test("a reserved id is refused for every kind of endpoint", () => {
  const reserved = 'no endpoint can have the id "pods", which is reserved: /live/v2/pods is where';
  expect(() => localEndpoints({ endpoints: { pods: {} } })).toThrow(reserved);
  expect(() => localEndpoints({ handlers: [{ id: "pods", path: "/x.ts" }] })).toThrow(reserved);
});

test.each([
  ["file", { handlers, endpoints: { file: {} } }],
  ["image", { images, endpoints: { image: {} } }],
  ["file", { handlers, images: [{ id: "file", template: "abcdefghij" }] }],
])("two endpoints with one id are refused: %s", (id, given) => {
  expect(() => localEndpoints(given)).toThrow(
    new RangeError(`two of the handlers, commands, images and endpoints have the id "${id}"`),
  );
});
