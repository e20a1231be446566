/** Opens the session: with the ticket in the address, with a cookie, or with a typed key. */
import { dispatch } from "../state/store.ts";
import { call, CallError, onSessionClosed } from "./call.ts";
import { follow } from "./follow.ts";

let following: AbortController | undefined;

/** Resolves once it is known whether there is a session. */
export async function openSession(): Promise<void> {
  onSessionClosed(close);
  const ticket = takeTicket();
  if (ticket !== undefined && (await enter({ ticket })) === undefined) return;
  await resume();
}

/** Continues with the cookie, for example after another tab was opened by a link. */
export async function resume(): Promise<void> {
  try {
    const { dashboard } = await call<"readSession">("emulator/session");
    begin(dashboard);
  } catch (error) {
    if (error instanceof CallError && error.status === 0) setTimeout(() => void resume(), 1_000);
    else close();
  }
}

/** Returns the problem, or undefined once the session is open. */
export async function enter(by: { ticket: string } | { key: string }): Promise<string | undefined> {
  try {
    const { dashboard } = await call<"beginSession">("emulator/session", {
      method: "POST",
      body: by,
    });
    begin(dashboard);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

export async function leave(): Promise<void> {
  await call("emulator/session", { method: "DELETE" }).catch(() => undefined);
  close();
}

function begin(session: "on" | "read-only"): void {
  dispatch({ type: "session", session });
  following?.abort();
  following = new AbortController();
  void follow(following.signal);
}

function close(): void {
  following?.abort();
  following = undefined;
  dispatch({ type: "session", session: "closed" });
}

/** Takes the ticket out of the address: it works once, and should not stay in the history. */
function takeTicket(): string | undefined {
  const url = new URL(location.href);
  const ticket = url.searchParams.get("ticket");
  if (ticket === null) return undefined;
  url.searchParams.delete("ticket");
  history.replaceState(null, "", url);
  return ticket;
}
