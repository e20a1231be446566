/** The moment at which the service ends a job that its worker did not end; empty while a debugger holds the job. */
export const OVERRUN_SCHEMA = `
ALTER TABLE job ADD COLUMN lease_overrun_at INTEGER;
`;
