/** The content type of an upload by the ending of its key. */
import path from "node:path";
import { mimes } from "mrmime";

/** Endings that the package does not know: formats of models, of data and of media that handlers make. */
const MORE: Readonly<Record<string, string>> = {
  "7z": "application/x-7z-compressed",
  arrow: "application/vnd.apache.arrow.stream",
  avi: "video/x-msvideo",
  bz2: "application/x-bzip2",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  flac: "audio/flac",
  gguf: "application/octet-stream",
  h5: "application/x-hdf5",
  hdr: "image/vnd.radiance",
  ico: "image/vnd.microsoft.icon",
  ipynb: "application/x-ipynb+json",
  jsonl: "application/jsonl",
  m3u8: "application/vnd.apple.mpegurl",
  mkv: "video/x-matroska",
  msgpack: "application/vnd.msgpack",
  ndjson: "application/x-ndjson",
  onnx: "application/octet-stream",
  parquet: "application/vnd.apache.parquet",
  ply: "model/ply",
  pptx: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  psd: "image/vnd.adobe.photoshop",
  py: "text/x-python",
  srt: "application/x-subrip",
  tar: "application/x-tar",
  usdz: "model/vnd.usdz+zip",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  xz: "application/x-xz",
  zst: "application/zstd",
};

export function typeOfEnding(key: string): string | undefined {
  const ending = path.posix.extname(key).slice(1).toLowerCase();
  const known = Object.hasOwn(MORE, ending) ? MORE : mimes;
  return Object.hasOwn(known, ending) ? known[ending] : undefined;
}
