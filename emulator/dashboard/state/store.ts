/** Holds the one state of the dashboard, and gives components the parts that they follow. */
import { computed, type ReadonlySignal, signal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { type Action, INITIAL, reduce, type State } from "./state.ts";

const current = signal(INITIAL);

export const state: ReadonlySignal<State> = current;

export function dispatch(action: Action): void {
  current.value = reduce(current.peek(), action);
}

/** A part of the state. The component is drawn again when that part changes. */
export function usePart<Part>(choose: (state: State) => Part): Part {
  return useMemo(() => computed(() => choose(current.value)), []).value;
}

export function useReadOnly(): boolean {
  return usePart(({ session }) => session === "read-only");
}

/** Runs an action of the user. A notice shows the sentence that it returns, or why it failed. */
export async function attempt(action: () => Promise<string | undefined>): Promise<void> {
  try {
    const done = await action();
    if (done !== undefined) dispatch({ type: "noticed", kind: "done", text: done });
  } catch (error) {
    complain(error);
  }
}

export function complain(error: unknown): void {
  const text = error instanceof Error ? error.message : String(error);
  dispatch({ type: "noticed", kind: "problem", text });
}
