/** The tables of the index: the objects, and the files with their content. */
import type { Schema } from "../../../sqlite/schema-version.ts";

export const SCHEMA: Schema = {
  version: 1,
  sql: `
  CREATE TABLE buckets (
    name TEXT NOT NULL PRIMARY KEY,
    created_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- Keys are bytes, so that they are compared as bytes whatever is in them.
  CREATE TABLE objects (
    id INTEGER NOT NULL PRIMARY KEY,
    bucket TEXT NOT NULL,
    key BLOB NOT NULL,
    size_bytes INTEGER NOT NULL,
    etag TEXT NOT NULL,
    modified_at INTEGER NOT NULL,
    attributes TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX objects_by_key ON objects (bucket, key);

  -- The content of an object, in pieces: one, or the parts it was uploaded in.
  CREATE TABLE pieces (
    object INTEGER NOT NULL,
    position INTEGER NOT NULL,
    blob TEXT NOT NULL,
    size_bytes INTEGER NOT NULL,
    PRIMARY KEY (object, position)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX pieces_by_blob ON pieces (blob);

  CREATE TABLE uploads (
    id TEXT NOT NULL PRIMARY KEY,
    bucket TEXT NOT NULL,
    key BLOB NOT NULL,
    initiated_at INTEGER NOT NULL,
    attributes TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX uploads_by_key ON uploads (bucket, key, initiated_at);

  CREATE TABLE parts (
    upload TEXT NOT NULL,
    number INTEGER NOT NULL,
    blob TEXT NOT NULL,
    size_bytes INTEGER NOT NULL,
    etag TEXT NOT NULL,
    modified_at INTEGER NOT NULL,
    checksum TEXT,
    PRIMARY KEY (upload, number)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX parts_by_blob ON parts (blob);

  -- What a client said about a file of a volume; it holds as long as the file is the one with that fingerprint.
  CREATE TABLE volume_files (
    volume TEXT NOT NULL,
    key BLOB NOT NULL,
    fingerprint TEXT NOT NULL,
    etag TEXT NOT NULL,
    attributes TEXT NOT NULL,
    PRIMARY KEY (volume, key, fingerprint)
  ) STRICT, WITHOUT ROWID;
  `,
};
