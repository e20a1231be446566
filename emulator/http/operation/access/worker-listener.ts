/** The port for workers from elsewhere, as shown to those who make tokens for it. */
export interface WorkerListener {
  /** SHA-256 of its certificate, if the service made it; undefined: authorities vouch for it. */
  readonly fingerprint: Uint8Array | undefined;
  /** `tls://host:port` of this replica, and of the others. */
  addresses(): readonly string[];
}
