/** Where workers from elsewhere reach each replica: the one they come to tells them who has their endpoint. */
export const WORKER_ADDRESS = `
-- NULL: they do not.
ALTER TABLE replica ADD COLUMN worker_address text;
`;
