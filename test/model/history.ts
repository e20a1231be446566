/** Plays one random history against several services side by side, and compares their states. */
import assert from "node:assert/strict";
import { ServiceError } from "../../emulator/core/service-error.ts";
import { COMMANDS, type Pick } from "./commands.ts";
import { checkInvariants } from "./invariants.ts";
import { seededNumbers } from "./random-source.ts";
import type { Subject } from "./subject.ts";

/** Maximum number of steps: a longer history without every kind of command is a defect of the test. */
const MOST_STEPS = 1_500;

/**
 * Runs commands chosen by `seed` on every subject until each kind has succeeded at least once; after each step all
 * subjects must have given equal answers and show equal states. Returns the number of steps.
 */
export async function playHistory(seed: number, subjects: readonly Subject[]): Promise<number> {
  const numbers = seededNumbers(seed);
  const pending = new Set(Object.keys(COMMANDS));
  for (let step = 1; step <= MOST_STEPS; step += 1) {
    const choices = choicesFor(numbers(), pending);
    const kind = choices[Math.floor(numbers() * choices.length)] ?? "run";
    const draws = [numbers(), numbers(), numbers(), numbers()];
    const results = [];
    for (const subject of subjects) results.push(await act(kind, subject, draws));
    const [first, ...others] = results;
    for (const other of others) assertAlike(other, first, `seed ${seed}, step ${step}: ${kind}`);
    await compare(subjects, `seed ${seed}, after step ${step}: ${kind}`);
    if (first?.succeeded) pending.delete(kind);
    if (pending.size > 0) continue;
    for (const subject of subjects) subject.readAllAgain();
    await compare(subjects, `seed ${seed}, at the end`);
    return step;
  }
  throw new Error(`seed ${seed}: never succeeded: ${[...pending].join(", ")}`);
}

/** Kinds that keep a history alive: without them most other kinds have nothing to act on. */
const NOURISHING = ["run", "connect a worker", "grant credit", "grant credit", "stream"];

/** A third of the steps goes to kinds that have not succeeded yet, so that histories stay short. */
function choicesFor(draw: number, pending: ReadonlySet<string>): readonly string[] {
  if (draw < 1 / 3) return [...pending];
  return draw < 2 / 3 ? NOURISHING : Object.keys(COMMANDS);
}

async function act(kind: string, subject: Subject, draws: readonly number[]) {
  const left = [...draws];
  const pick: Pick = (items) => items[Math.floor((left.shift() ?? 0) * items.length)];
  try {
    const answer = await COMMANDS[kind]?.(subject, pick);
    return { succeeded: answer !== undefined, answer };
  } catch (error) {
    if (error instanceof ServiceError) return { succeeded: false, answer: error.code };
    throw error;
  }
}

async function compare(subjects: readonly Subject[], when: string): Promise<void> {
  const snapshots = await Promise.all(subjects.map((subject) => subject.settled()));
  const [first, ...others] = snapshots;
  for (const other of others) assertAlike(other, first, when);
  for (const snapshot of snapshots) checkInvariants(snapshot, when);
}

/** The message of an assertion about two states would be long; the difference is shown beside `when`. */
function assertAlike(other: unknown, first: unknown, when: string): void {
  try {
    assert.deepEqual(other, first);
  } catch (error) {
    throw new Error(when, { cause: error });
  }
}
