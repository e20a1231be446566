/** Settings that are refused when other machines can reach the service. */
import { expect, test } from "vitest";
import { plainAddressProblem, shortKeyProblem } from "../../../../emulator/core/access/exposure.ts";

test.each([
  ["https://10.0.0.7:7080", undefined],
  ["http://127.0.0.1:7080", undefined],
  ["http://localhost:7080", undefined],
  ["http://[::1]:7080", undefined],
  ["http://[::ffff:127.0.0.9]:7080", undefined],
  ["http://10.0.0.7:7080", expect.stringContaining("is plain HTTP to another machine")],
  ["http://replica-1:7080", expect.stringContaining("--insecure-replicas on")],
  ["http://[fd00::7]:7080", expect.stringContaining("use https")],
  ["http://localhost.example.com", expect.stringContaining("can be read and changed")],
])("the address %s for other replicas: %s", (address, problem) => {
  expect(plainAddressProblem(address)).toEqual(problem);
});

test.each([
  ["seven77", "127.0.0.1", undefined],
  ["seven77", "localhost", undefined],
  ["seven77", "::1", undefined],
  ["eight888", "0.0.0.0", undefined],
  ["seven77", "0.0.0.0", expect.stringContaining("at least 8 characters")],
  ["seven77", "::", expect.stringContaining("listens at ::")],
  ["k", "10.0.0.7", expect.stringContaining("a shorter one can be guessed")],
])("the key %s of a service at %s: %s", (key, host, problem) => {
  expect(shortKeyProblem(key, host)).toEqual(problem);
});
