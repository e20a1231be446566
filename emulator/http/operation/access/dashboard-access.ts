/**
 * Access to the dashboard: a browser sends a ticket, which is valid once, or the admin's key, and gets a cookie. Tickets and
 * sessions are in memory only, so they end with the service.
 */
import type { IncomingMessage } from "node:http";
import type { DashboardMode } from "../../../core/access/dashboard-mode.ts";
import type { Clock, Random } from "../../../core/time/clock.ts";

/** Validity of a ticket, ms of real time. */
export const TICKET_MS = 600_000;

/** Maximum number of tickets, and of sessions. The oldest are dropped. */
export const MOST_TICKETS = 100;
export const MOST_SESSIONS = 100;

/** Header of the dashboard's scripts. Pages of other origins cannot send it without a preflight. */
const DASHBOARD_HEADER = "x-sv-dashboard";

const COOKIE = "sv-session";
const OWN_COOKIE = /^\s*sv-session(?:-\d+)?=/u;

/** Takes the place of a key's id in a link that the service made. */
export const LINK_KEY_ID = "dashboard";

interface Ticket {
  readonly keyId: string;
  /** Expiry time. */
  readonly endsAt: number;
}

export interface DashboardAccessOptions {
  readonly mode: DashboardMode;
  /** Real time. */
  readonly clock: Pick<Clock, "now">;
  readonly random: Pick<Random, "token">;
}

export class DashboardAccess {
  readonly mode: DashboardMode;
  readonly #clock: Pick<Clock, "now">;
  readonly #random: Pick<Random, "token">;
  readonly #tickets = new Map<string, Ticket>();
  /** The sessions, each with the id of the key that opened it, in the order of their last use. */
  readonly #sessions = new Map<string, string>();

  constructor({ mode, clock, random }: DashboardAccessOptions) {
    this.mode = mode;
    this.#clock = clock;
    this.#random = random;
  }

  get isOff(): boolean {
    return this.mode === "off";
  }

  get isReadOnly(): boolean {
    return this.mode === "read-only";
  }

  /** A URL with a new ticket. Undefined without a dashboard. */
  linkBelow(url: string): string | undefined {
    return this.isOff ? undefined : `${url}/?ticket=${this.issueTicket()}`;
  }

  /** Makes a ticket, valid for ten minutes, that opens one session with the permissions of the key. */
  issueTicket(keyId = LINK_KEY_ID): string {
    const ticket = this.#random.token();
    this.#tickets.set(ticket, { keyId, endsAt: this.#clock.now() + TICKET_MS });
    forgetOldest(this.#tickets, MOST_TICKETS);
    return ticket;
  }

  /** Invalidates a ticket, and returns the id of its key. */
  useTicket(ticket: string): string | undefined {
    const known = this.#tickets.get(ticket);
    this.#tickets.delete(ticket);
    return known !== undefined && this.#clock.now() < known.endsAt ? known.keyId : undefined;
  }

  /**
   * Begins a session with the permissions of the key; returns the `Set-Cookie` header.
   * @param scheme scheme of the browser's request
   */
  begin(request: IncomingMessage, keyId: string, scheme: "http" | "https"): string {
    const session = this.#random.token();
    this.#sessions.set(session, keyId);
    forgetOldest(this.#sessions, MOST_SESSIONS);
    const cookie = `${cookieName(request)}=${session}; Path=/; HttpOnly; SameSite=Strict`;
    return scheme === "https" ? `${cookie}; Secure` : cookie;
  }

  /** Ends the session of the request; returns the `Set-Cookie` header that removes its cookie. */
  end(request: IncomingMessage): string {
    this.#sessions.delete(sessionOf(request) ?? "");
    return `${cookieName(request)}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0`;
  }

  /** The id of the key of the request's session; undefined without one. */
  keyIdOf(request: IncomingMessage): string | undefined {
    const session = sessionOf(request) ?? "";
    const keyId = this.#sessions.get(session);
    if (keyId === undefined) return undefined;
    this.#sessions.delete(session);
    this.#sessions.set(session, keyId);
    return keyId;
  }
}

/** Whether a script of the dashboard set the header; a link, a form or a picture cannot. */
export function isByDashboard({ headers }: IncomingMessage): boolean {
  return headers[DASHBOARD_HEADER] === "1";
}

/** Whether a `Set-Cookie` header is for the cookie of a dashboard. */
export function isSessionCookie(header: string): boolean {
  return OWN_COOKIE.test(header);
}

/** The `Cookie` header without the cookies of dashboards, which are for this service only. Undefined if nothing remains. */
export function withoutSessions(cookies: string): string | undefined {
  const others = cookies.split(";").filter((cookie) => !OWN_COOKIE.test(cookie));
  return others.length === 0 ? undefined : others.join(";").trim();
}

/** The name contains the port: cookies ignore ports, and a browser may have several emulators open. */
function cookieName({ headers }: IncomingMessage): string {
  const port = /:(\d+)$/u.exec(headers.host ?? "")?.[1];
  return port === undefined ? COOKIE : `${COOKIE}-${port}`;
}

function sessionOf(request: IncomingMessage): string | undefined {
  const start = `${cookieName(request)}=`;
  const cookies = (request.headers.cookie ?? "").split(";").map((cookie) => cookie.trim());
  return cookies.find((cookie) => cookie.startsWith(start))?.slice(start.length);
}

function forgetOldest(
  entries: Pick<Map<string, unknown>, "keys" | "size" | "delete">,
  most: number,
): void {
  for (const oldest of entries.keys()) {
    if (entries.size <= most) return;
    entries.delete(oldest);
  }
}
