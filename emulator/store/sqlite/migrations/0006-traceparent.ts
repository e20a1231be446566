/** The trace that a job belongs to, by the header it was submitted with; its webhook calls belong to it as well. */
export const TRACEPARENT_SCHEMA = `
ALTER TABLE job ADD COLUMN traceparent TEXT;
ALTER TABLE delivery ADD COLUMN traceparent TEXT;
`;
