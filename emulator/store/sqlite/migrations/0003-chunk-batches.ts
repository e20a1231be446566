/**
 * Chunks are kept as they come, many in a row: each followed by a line feed. A batch of the first schema's time is a
 * chunk alone, and lacks its line feed; `chunk-table.ts` adds it when it reads one.
 */
export const CHUNK_BATCHES = `
-- With a rowid: the batches of jobs that run beside each other are then simply appended.
CREATE TABLE chunk_batch (
  seq INTEGER NOT NULL,
  first_index INTEGER NOT NULL,
  count INTEGER NOT NULL,
  size_bytes INTEGER NOT NULL,
  -- BLOB: the lines themselves. TEXT: the name of a payload file that holds them.
  body ANY NOT NULL,
  -- Where in the file they begin.
  file_offset INTEGER NOT NULL,
  PRIMARY KEY (seq, first_index)
);
INSERT INTO chunk_batch SELECT seq, position, 1, size_bytes, body, 0 FROM chunk;
CREATE INDEX chunk_batch_file ON chunk_batch (seq) WHERE typeof(body) = 'text';
DROP TABLE chunk;
`;
