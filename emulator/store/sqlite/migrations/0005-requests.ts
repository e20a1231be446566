/**
 * Jobs of an endpoint in one status, newest first, for `/requests`; and the setting that endpoints had no field for
 * before, with the default that was valid for all of them.
 */
export const REQUESTS_SCHEMA = `
CREATE INDEX job_by_status ON job (queue, status);
UPDATE record SET json = json_set(json, '$.requestsPerWorker', 50)
  WHERE kind = 'endpoint' AND json_extract(json, '$.requestsPerWorker') IS NULL;
`;
