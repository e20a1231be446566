/** The port for workers from elsewhere, as it is told to those who make tokens for them. */
export interface WorkerListener {
  /** SHA-256 of its certificate, where the service has made it; undefined: authorities vouch for it. */
  readonly fingerprint: Uint8Array | undefined;
  /** `tls://host:port` of this replica, and of the others. */
  addresses(): readonly string[];
}
