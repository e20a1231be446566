/** Versions side by side: each replica says up to which migration its version knows what is stored. */
export const ROLLING = `
-- Those that do not say it know the second.
ALTER TABLE replica ADD COLUMN knows smallint NOT NULL DEFAULT 2;
`;
