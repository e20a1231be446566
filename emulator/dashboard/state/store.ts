/** Holds the one state, and hands out parts of it that components follow. */
import { computed, type ReadonlySignal, signal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { type Action, INITIAL, reduce, type State } from "./state.ts";

const current = signal(INITIAL);

export const state: ReadonlySignal<State> = current;

export function dispatch(action: Action): void {
  current.value = reduce(current.peek(), action);
}

/** A part of the state; the component is drawn anew when that part is another one. */
export function usePart<Part>(choose: (state: State) => Part): Part {
  return useMemo(() => computed(() => choose(current.value)), []).value;
}

export function say(text: string): void {
  dispatch({ type: "noticed", kind: "done", text });
}

export function complain(error: unknown): void {
  const text = error instanceof Error ? error.message : String(error);
  dispatch({ type: "noticed", kind: "problem", text });
}
